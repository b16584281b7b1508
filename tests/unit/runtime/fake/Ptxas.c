/* A ptxas for the tests that is no script: how often its version is asked is noted in $FAKE_PTXAS_LOG. Its cubin is the PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
  FILE *log = fopen(getenv("FAKE_PTXAS_LOG"), "a");
  if (!log || count < 2)
    return 1;
  fprintf(log, "%s\n", arguments[1]);
  fclose(log);
  if (strcmp(arguments[1], "--version") == 0)
    return puts("ptxas: fake") < 0;
  FILE *from = fopen(arguments[3], "r"), *to = fopen(arguments[5], "w");
  if (!from || !to)
    return 1;
  for (int byte = 0; (byte = fgetc(from)) != EOF;)
    fputc(byte, to);
  return fclose(to);
}
