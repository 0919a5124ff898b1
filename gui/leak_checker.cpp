// For builds with AddressSanitizer only: what the machine's graphics driver leaks is the driver's.
//
// A driver is unloaded before leaks are looked for; then nobody can say whose they are. So it
// stays.

extern "C" {

int dlclose(void*) { return 0; }

const char* __lsan_default_suppressions() {
  return "leak:libgallium\n"
         "leak:swrast_dri.so\n"
         "leak:libEGL_mesa.so\n"
         "leak:libGLX_mesa.so\n"
         "leak:libLLVM\n";
}

}  // extern "C"
