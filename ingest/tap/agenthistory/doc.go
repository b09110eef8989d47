// Package agenthistory finds the session files of the coding agents on this machine and records
// each file as a stream. A run is idempotent: docs/adr/0020-sync.md describes how files, streams
// and lines are identified, and where the progress is stored.
//
//	Find ──► sources ──► Plan ──► changed sources ──► scan ──► record ──► Progress
//	walk     files and   stat and  new, grown,        which    one stream  what is
//	folders  trees       progress  rewritten          lines    for each    durable
//	                                                  are copies
package agenthistory
