// Package natstap records what is published on NATS: the messages of a subject, with wildcards,
// or the messages of a JetStream stream.
//
// Each message is a frame, which holds its subject and its headers as schema.AppendNATS appends
// them. The messages of one subject are a stream of the recording, or those of one subject and
// one session if a header names the session.
//
// A subscription without JetStream misses what is published while it is not connected and what
// the server drops because it is too slow. Both are counted, logged, and noted in the streams
// that are open at the time.
//
// A JetStream stream is read by its sequence numbers. The numbers that were recorded are kept
// in a directory, so that after a restart the same messages become the same frames of the same
// streams, which is idempotent: see position. A consumer with a name is acknowledged message by
// message, each once its frames are durable.
package natstap
