/* What the accountant answered once is not computed again, by this process and by those that it starts:
 * hundreds of short runs ask the same questions, which take most of their time. The linker puts this in the
 * place of the accountant's calls. */
#ifndef SOTTO_TESTS_FAULTS_REMEMBERED_H
#define SOTTO_TESTS_FAULTS_REMEMBERED_H

/* From now on. */
void remembered_begin(void);

#endif
