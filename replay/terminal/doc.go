// Package terminal shows a playback on a terminal: the messages and tool calls up to the current
// time, with keys to control it. The playback runs behind a Remote; its content is a Story. The
// screen depends only on these two and on the size of the terminal.
package terminal
