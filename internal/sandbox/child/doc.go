// Package child is the process that interprets what the target and other users wrote: lists of
// mappings, ELF files and their tables, a Java machine's memory and answers, perf maps. It has no
// rights, and only the files that it is handed. Hostile bytes may end it, or make it say anything:
// the governor takes nothing from it but addresses and names, which it checks.
package child
