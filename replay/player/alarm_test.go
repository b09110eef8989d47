package player_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/replay/player"
)

func TestAlarms(t *testing.T) {
	for name, open := range map[string]func() player.Alarm{"precise": player.PreciseAlarm, "timer": player.TimerAlarm} {
		t.Run(name, func(t *testing.T) {
			a := open()
			defer a.Close()
			start := time.Now()
			a.Set(time.Hour)
			a.Set(30 * time.Millisecond) // in place of the first
			bounded.Receive(t, a.C())
			if took := time.Since(start); took < 30*time.Millisecond {
				t.Errorf("woke after %s", took)
			}
			a.Set(0)
			bounded.Receive(t, a.C())
			a.Set(-time.Second)
			bounded.Receive(t, a.C())
			a.Set(time.Hour)
			select {
			case <-a.C():
				t.Error("woke an hour early")
			case <-time.After(10 * time.Millisecond):
			}
		})
	}
}

// Alarms that are open at the same time do not hold one another up: each wakes, and
// none before its time, while others are set, set anew and closed.
func TestManyAlarms(t *testing.T) {
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			a := player.PreciseAlarm()
			defer a.Close()
			for range 20 {
				if rand.IntN(4) == 0 {
					a.Set(time.Hour)
				}
				d := time.Duration(rand.IntN(3e6))
				start := time.Now()
				a.Set(d)
				<-a.C()
				if took := time.Since(start); took < d {
					t.Errorf("woke after %s of %s", took, d)
				}
			}
			a.Set(time.Hour)
		})
	}
	bounded.Wait(t, all.Wait)
}
