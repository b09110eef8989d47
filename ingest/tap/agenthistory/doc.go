// Package agenthistory finds the session files of the coding agents of this machine and records each
// file as a stream. A run is idempotent: see docs/adr/0020-sync.md for what
// identifies a file, a stream and a line, and for where the progress is kept.
//
//	Find ──► sources ──► Plan ──► changed sources ──► scan ──► record ──► Progress
//	walk     files and   stat and  new, grown,        which    one stream  what is
//	folders  trees       progress  rewritten          lines    for each    durable
//	                                                  are copies
package agenthistory
