// Package terminal shows a playback on a terminal: what was said and done up to
// the moment that is played, with keys to steer. The playback itself runs
// elsewhere, behind a Remote; what it means is a Story. What is on the screen is
// made of the two and of the size of the terminal, and of nothing else.
package terminal
