package player

import (
	"fmt"
	"math"
	"strconv"
)

// Speed is the factor by which a tape plays faster than recorded.
type Speed float64

// The valid speeds: from Slowest to Fastest, and Max, which does not wait.
const (
	Slowest Speed = 0.1
	Normal  Speed = 1
	Fastest Speed = 1000
)

// Max plays as fast as the tape can be read and the sink accepts frames.
var Max = Speed(math.Inf(1))

// SpeedAllowed describes what ParseSpeed accepts.
const SpeedAllowed = "a number from 0.1 to 1000, or max"

// ParseSpeed parses a speed: a number, or "max".
func ParseSpeed(s string) (Speed, error) {
	if s == "max" {
		return Max, nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !Speed(n).valid() || math.IsInf(n, 0) {
		return 0, fmt.Errorf("speed %q is not %s", s, SpeedAllowed)
	}
	return Speed(n), nil
}

func (s Speed) valid() bool { return s >= Slowest && s <= Fastest || s == Max }

// String is the inverse of ParseSpeed.
func (s Speed) String() string {
	if s == Max {
		return "max"
	}
	return strconv.FormatFloat(float64(s), 'f', -1, 64)
}

// MarshalJSON returns a number, or "max".
func (s Speed) MarshalJSON() ([]byte, error) {
	if s == Max {
		return []byte(`"max"`), nil
	}
	return []byte(s.String()), nil
}

// UnmarshalJSON accepts a number, or a string of ParseSpeed.
func (s *Speed) UnmarshalJSON(p []byte) error {
	text := string(p)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	v, err := ParseSpeed(text)
	if err != nil {
		return err
	}
	*s = v
	return nil
}
