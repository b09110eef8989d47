package loom

import (
	"fmt"
	"testing"
)

// However many connections were closed after an error, the connection that follows the latest
// continues.
func TestLeftOff(t *testing.T) {
	s := New(nil)
	for i := range nextLimit + 2 {
		s.leaveOff("tenant", fmt.Sprint(i), i+1)
	}
	for session, want := range map[int]int{nextLimit + 1: nextLimit + 2, 2: 3, 0: 0} {
		if got := s.resume("tenant", fmt.Sprint(session)); got != want {
			t.Errorf("session %d continues at %d, want %d", session, got, want)
		}
	}
	if got := s.resume("tenant", "2"); got != 0 {
		t.Errorf("a second connection continues at %d", got)
	}
}
