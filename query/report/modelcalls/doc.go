// Package modelcalls reports calls of models: how long they took to the first token, how fast
// and how evenly they were answered, and how they ended.
//
// Everything is computed from spans, messages and usage. The gaps of a call are those between
// the arrivals of the chunks of its text, its thinking and the arguments of its tool calls.
package modelcalls
