/* A program on Debian's libamdhip64, found at run time as the drivers of other languages do: how many
 * devices there are, or which error. "key value" lines; exit 1 if the library is absent.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  void* library = dlopen("libamdhip64.so.5", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*get_count)(int*) = (int (*)(int*))dlsym(library, "hipGetDeviceCount");
  const char* (*error_name)(int) = (const char* (*)(int))dlsym(library, "hipGetErrorName");
  if (!get_count || !error_name) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int count = 0;
  const int error = get_count(&count);
  printf("error %d\nname %s\ncount %d\n", error, error_name(error), error == 0 ? count : 0);
  return 0;
}
