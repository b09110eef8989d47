package player_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// liveLog notes also when the player goes live.
type liveLog struct{ *log }

func (l liveLog) StateChanged(_ player.Op, s player.State) error {
	l.note(fmt.Sprintf("live, %v behind", s.Behind))
	return nil
}

// running returns a session with a frame in every second, the first of which came
// some time ago.
func running(frames int, ago time.Duration) *replaytest.Growing {
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "")
	for i := range frames {
		s.Add(time.Duration(i)*time.Second, string(rune('a'+i)))
	}
	return &replaytest.Growing{Memory: tape, Begin: time.Now().Add(-ago)}
}

// A player that follows catches up at its speed, then plays what comes as it
// comes; it can be paused, wound back and sent to where things happen.
func TestFollow(t *testing.T) {
	type at struct {
		ms      int
		command player.Command
	}
	op := func(ms int, o player.Op) at { return at{ms, player.Command{Op: o}} }
	for _, tc := range []struct {
		name     string
		speed    player.Speed
		from     string
		commands []at
		want     []string
	}{
		{
			"at ten times the speed, then live", 10, "", nil,
			[]string{
				"0 a", "100 b", "200 c", "300 d", "400 e", "400 live, 0s behind",
				"500 f", "1500 g", "2500 h",
			},
		},
		{
			"as fast as it goes, then live", player.Max, "", nil,
			[]string{"0 a", "0 b", "0 c", "0 d", "0 e", "0 live, 0s behind", "500 f", "1500 g", "2500 h"},
		},
		{
			"at its own speed it stays behind", 1, "+4s", nil,
			[]string{"0 e", "0 live, 0s behind", "500 f", "1500 g", "2500 h"},
		},
		{
			"slow motion never goes live", 0.5, "+4s", nil,
			[]string{"0 e", "2000 f", "4000 g", "6000 h"},
		},
		{
			"from now on", 1, "live", nil,
			[]string{"500 f", "1500 g", "2500 h"},
		},
		{
			"paused, it loses nothing", 1, "live",
			[]at{op(600, player.Pause), op(3000, player.Resume)},
			[]string{
				"500 f", "600 paused, live false, 0s behind", "3000 playing, live false, 1.9s behind",
				"3900 g", "4900 h",
			},
		},
		{
			"paused, then live again", 1, "live",
			[]at{op(600, player.Pause), op(1600, player.Live)},
			[]string{
				"500 f", "600 paused, live false, 0s behind", "1600 playing, live true, 0s behind", "2500 h",
			},
		},
		{
			"wound back, and catching up", 10, "live",
			[]at{{600, player.Command{Op: player.Seek, To: mark(t, "+3s")}}},
			[]string{
				"500 f", "600 playing, live false, 2s behind", "600 d", "700 e", "800 f", "800 live, 0s behind",
				"1500 g", "2500 h",
			},
		},
		{
			"a step waits for what comes", 1, "live",
			[]at{op(600, player.Step), op(1600, player.Resume)},
			[]string{"500 f", "1500 g", "1500 paused, live false, 0s behind", "1600 playing, live false, 0s behind", "1600 live, 0s behind", "2500 h"},
		},
		{
			"slower while live", 1, "live",
			[]at{{600, player.Command{Op: player.SetSpeed, Speed: 0.5}}},
			[]string{"500 f", "600 playing, live false, 0s behind", "2400 g", "4400 h"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tape, out := running(8, 4500*time.Millisecond), liveLog{newLog()}
				opts := player.Options{Speed: tc.speed}
				if tc.from != "" {
					opts.From = place(t, tape, tc.from)
				}
				p := player.New(tape, out, opts)
				over := make(chan error)
				go func() {
					_, err := p.Run(t.Context())
					over <- err
				}()
				go func() {
					for _, c := range tc.commands {
						time.Sleep(time.Duration(c.ms)*time.Millisecond - time.Since(out.start)) // virtual time: when the command is sent
						err := p.Control(context.Background(), c.command, func(s player.State, err error) error {
							out.note(fmt.Sprintf("%s, live %v, %v behind", s.State, s.Live, s.Behind))
							return err
						})
						if err != nil {
							out.note(err.Error())
						}
					}
				}()
				if err := <-over; err != nil {
					t.Error(err)
				}
				synctest.Wait()
				if !slices.Equal(out.lines, tc.want) {
					t.Errorf("got  %q\nwant %q", out.lines, tc.want)
				}
			})
		})
	}
}
