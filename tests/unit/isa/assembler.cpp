#include "assembler.hpp"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <stdexcept>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace rocdrill::test {

Assembler::Assembler(std::string processor) : processor_(std::move(processor)) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
}

std::vector<std::byte> Assembler::assemble(std::string_view text) const {
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
  if (target == nullptr) throw std::runtime_error(error);
  llvm::SourceMgr sources;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& what, void* to) {
        llvm::raw_string_ostream stream(*static_cast<std::string*>(to));
        what.print(nullptr, stream, false);
      },
      &error);
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())), {});
  const llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple.str()));
  const std::unique_ptr<llvm::MCAsmInfo> assembly(
      target->createMCAsmInfo(*registers, triple.str(), options));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple.str(), processor_, ""));
  llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &sources);
  const std::unique_ptr<llvm::MCObjectFileInfo> file(
      target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(file.get());

  llvm::SmallString<4096> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  const std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  if (parser->Run(false)) throw std::runtime_error(processor_ + ": " + error);

  auto elf = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(object.str(), "assembled"));
  if (!elf) throw std::runtime_error(llvm::toString(elf.takeError()));
  for (const llvm::object::SectionRef& section : (*elf)->sections()) {
    auto name = section.getName();
    if (!name || *name != ".text") continue;
    auto contents = section.getContents();
    if (!contents) break;
    const auto* begin = reinterpret_cast<const std::byte*>(contents->data());
    return {begin, begin + contents->size()};
  }
  throw std::runtime_error("no .text");
}

}  // namespace rocdrill::test
