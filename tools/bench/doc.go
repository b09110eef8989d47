// Package bench measures tapedeck on this machine: the whole path from a file to a query, each
// stage alone and the limit of the server that the stage uses, a peer on the same data, delays,
// memory and CPU time. All figures of a report are from one run; both figures of a ratio are
// measured alternately.
//
// Every measurement has its own file, whose exported types are its results.
// A report is JSON; Render makes its page by the templates in pages.
package bench
