// Package printers formats the results of commands for display: tables and sentences. The output of
// --json is the server's answer and is not formatted here.
//
// A printer takes the writer of the answer, usually standard output. If it also prints notes, it
// takes a second writer for them, usually standard error. Untrusted texts are written without
// control characters (console.To, console.Clip).
package printers
