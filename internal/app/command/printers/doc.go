// Package printers writes what commands of the program answer with, for people: tables and
// sentences. What --json prints is the server's answer and does not come from here.
//
// A printer takes the writer of the answer, mostly standard output, and where there are notes
// beside the answer that of the notes, standard error. Texts of others are written without
// control characters (console.To, console.Clip).
package printers
