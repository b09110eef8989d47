package replay_test

import (
	"testing"
	"time"

	"tapedeck/replay"
)

func TestAlarms(t *testing.T) {
	for name, open := range map[string]func() replay.Alarm{"precise": replay.PreciseAlarm, "timer": replay.TimerAlarm} {
		t.Run(name, func(t *testing.T) {
			a := open()
			defer a.Close()
			start := time.Now()
			a.Set(time.Hour)
			a.Set(30 * time.Millisecond) // in place of the first
			<-a.C()
			if took := time.Since(start); took < 30*time.Millisecond {
				t.Errorf("woke after %s", took)
			}
			a.Set(0)
			<-a.C()
			a.Set(-time.Second)
			<-a.C()
			a.Set(time.Hour)
			select {
			case <-a.C():
				t.Error("woke an hour early")
			case <-time.After(10 * time.Millisecond):
			}
		})
	}
}
