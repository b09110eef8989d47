// Package search finds messages, thinking, tool calls and their results, and errors by their words.
//
// A text consists of terms: words in lower case (Unicode case folding), and each single character
// of scripts that do not separate words. The column terms of the tables messages and spans has the
// same terms, computed in SQL, and ClickHouse keeps an index on it. ClickHouse finds candidates,
// newest first. This package then reads the current version of the texts, as a transcript shows
// them, and searches them again, so that an answer never depends on whether a row is indexed.
package search
