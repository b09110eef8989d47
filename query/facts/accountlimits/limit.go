// Package accountlimits has the limits of accounts in the form of the API: windows of rate limits,
// quotas and credits, as agents stated them. They are no usage and no cost.
package accountlimits

import (
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

// Limit is one limit as it was stated last. A field that was not stated is null, or "".
type Limit struct {
	Dialect string `json:"dialect"`
	Name    string `json:"name"` // the source's name, such as five_hour or primary
	Plan    string `json:"plan"`
	// WindowSeconds is the length of the window, s.
	WindowSeconds *int64 `json:"window_s"`
	// UsedPercent is how much is used: as stated, or else Used of Max. It is above 100 beyond the limit.
	UsedPercent *float64   `json:"used_percent"`
	Used        *float64   `json:"used"` // in the source's unit, as Max
	Max         *float64   `json:"max"`
	Balance     *string    `json:"balance"` // of credits, a decimal number
	Unlimited   bool       `json:"unlimited"`
	Status      string     `json:"status"` // the source's word
	ResetsAt    *time.Time `json:"resets_at"`
	StatedAt    time.Time  `json:"stated_at"` // when the frame arrived
}

// Of returns a limit that a stream of a dialect stated.
func Of(dialect string, l *schema.Limit) Limit {
	out := Limit{
		Dialect: dialect, Name: l.Name, Plan: l.Plan, Used: l.Used, Max: l.Max, Balance: query.Named(l.Balance),
		Unlimited: l.Unlimited, Status: l.Status, StatedAt: query.Instant(l.At),
	}
	if l.Window > 0 {
		out.WindowSeconds = &l.Window
	}
	if percent, ok := l.Share(); ok {
		out.UsedPercent = &percent
	}
	if l.ResetsAt > 0 {
		at := time.Unix(l.ResetsAt, 0).UTC()
		out.ResetsAt = &at
	}
	return out
}

// OfStreams returns the limits that the streams of a session stated: of each dialect and name the
// one that was stated last.
func OfStreams(streams []sessionstreams.Stream) []Limit {
	list := []Limit{}
	for i := range streams {
		for j := range streams[i].Limits {
			l := Of(streams[i].Dialect, &streams[i].Limits[j])
			at := slices.IndexFunc(list, func(had Limit) bool { return had.Dialect == l.Dialect && had.Name == l.Name })
			switch {
			case at < 0 && len(list) < schema.MaxLimits:
				list = append(list, l)
			case at >= 0 && !l.StatedAt.Before(list[at].StatedAt):
				list[at] = l
			}
		}
	}
	return list
}

// Over reports whether the limit was reset before a time, so that what was used no longer counts.
func (l *Limit) Over(now time.Time) bool { return l.ResetsAt != nil && !l.ResetsAt.After(now) }
