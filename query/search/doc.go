// Package search finds messages, thinking, calls and results of tools, and errors by their
// words.
//
// A text consists of terms: words in lower case (case folding of Unicode), and each character
// of scripts that do not separate words. The column terms of the tables messages and spans
// computes the same in SQL, and ClickHouse keeps an index of it. ClickHouse finds candidates,
// newest first; this package reads the texts that count now, as a transcript shows them, and
// looks for the searched terms once more, so that an answer never depends on whether a row is
// indexed.
package search
