// Package child is the process that interprets what the target and other users wrote: lists of
// mappings, ELF files and their tables, a Java machine's memory and answers, perf maps. It has no
// rights and no files but those that it is handed. What it reads may well end it, or have it say
// anything: the governor believes nothing of it but addresses and names.
package child
