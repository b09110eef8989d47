package player

import (
	"fmt"
	"time"

	"tapedeck/replay"
)

// LagError reports that the sink accepted frames so slowly that the playback fell behind its
// schedule by more than Options.LagLimit.
type LagError struct{ Lag, Limit time.Duration }

func (e *LagError) Error() string {
	return fmt.Sprintf("frames are accepted %s later than they are due, and the limit is %s",
		e.Lag.Round(time.Millisecond), e.Limit)
}

// behind checks whether the sink is too slow for live frames. A single frame may be old because it
// came from a spool, so the sink counts as too slow only if frames were pending all the time.
func (p *Player) behind(now time.Time, at int64) error {
	if p.opts.LagLimit == 0 || now.Sub(p.near) <= p.opts.LagLimit {
		return nil
	}
	if growing, ok := p.tape.(replay.Growing); ok {
		if lag := time.Duration(growing.Edge() - at); lag > p.opts.LagLimit {
			return &LagError{Lag: lag, Limit: p.opts.LagLimit}
		}
	}
	return nil
}
