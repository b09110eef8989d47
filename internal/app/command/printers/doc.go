// Package printers writes the results of commands for people: tables and
// sentences. What --json prints is the server's answer and does not come from here.
//
// A printer takes the writer of the answer, mostly standard output. If there are notes beside the
// answer, it also takes their writer, mostly standard error. Texts of others are written without
// control characters (console.To, console.Clip).
package printers
