// Package bench measures tapedeck on the machine it runs on: the whole way from
// a file to a query, each stage alone beside the ceiling of the server it uses,
// a peer on the same data, delays, memory, and what each of them costs. All
// figures of one report are of one run; a ratio of two is always of figures
// that were taken in turns.
//
// Every measurement has a file of its own, which also writes its part of the
// report.
package bench
