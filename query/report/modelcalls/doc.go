// Package modelcalls reports on calls of models: their time to the first token, the speed and
// steadiness of their output, and how they ended.
//
// All figures are computed from spans, messages and usage. The gaps of a call are the times between
// the arrivals of the chunks of its text, its thinking and the arguments of its tool calls.
package modelcalls
