// Package statusline makes the line that "tapedeck statusline" prints in the status line of Claude
// Code, from what Claude Code states and from what a server has recorded.
package statusline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Input is what Claude Code states to a command of its status line, as its documentation
// describes it (code.claude.com/docs/en/statusline). Each value may be absent.
type Input struct {
	SessionID string `json:"session_id"`
	Model     struct {
		ID          string `json:"id"`
		DisplayName string `json:"display_name"`
	} `json:"model"`
	Cost struct {
		Total number `json:"total_cost_usd"` // of the session, by Claude Code's own list prices
	} `json:"cost"`
	Context struct {
		Size float64 `json:"context_window_size"` // in tokens
		Used number  `json:"used_percentage"`
	} `json:"context_window"`
	Limits struct {
		FiveHour *Limit `json:"five_hour"`
		SevenDay *Limit `json:"seven_day"`
	} `json:"rate_limits"`
}

// Limit is how much of a plan's limit is used. API keys and new sessions have none.
type Limit struct {
	Used     number  `json:"used_percentage"`
	ResetsAt float64 `json:"resets_at"` // in seconds since 1970; 0 if it is not stated
}

// number is a number that may be absent. A member of another type is absent.
type number struct {
	value float64
	known bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	var value *float64
	if err := json.Unmarshal(text, &value); err == nil && value != nil {
		*n = number{*value, true}
	}
	return nil
}

// left returns the time until the limit is reset, or 0 if it is not stated or is over.
func (l *Limit) left(now time.Time) time.Duration {
	if l.ResetsAt <= 0 || l.ResetsAt > 1e11 {
		return 0
	}
	return max(0, time.Unix(int64(l.ResetsAt), 0).Sub(now))
}

// inputLimit is the largest input in bytes. Claude Code writes about 2 KB.
const inputLimit = 1 << 20

// Read reads what Claude Code writes to the command.
func Read(r io.Reader) (*Input, error) {
	text, err := io.ReadAll(io.LimitReader(r, inputLimit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read standard input: %w", err)
	case len(text) == 0:
		return nil, errors.New("standard input is empty: Claude Code writes the state of its session to it")
	case len(text) > inputLimit:
		return nil, fmt.Errorf("standard input has more than %d bytes: it is not what Claude Code writes to a status line", inputLimit)
	}
	in := &Input{}
	err = json.Unmarshal(text, in)
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); other && text[0] == '{' {
		err = nil // a member of another version has another type; the others are read
	}
	if err != nil {
		return nil, fmt.Errorf("standard input is not what Claude Code writes to a status line: %w", err)
	}
	return in, nil
}
