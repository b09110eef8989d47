package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Days is a duration of whole days. Its text form is like 400d.
type Days time.Duration

const day = 24 * time.Hour

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Days) UnmarshalText(text []byte) error {
	number, isDays := strings.CutSuffix(string(text), "d")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || !isDays || n > 100_000 || n < -100_000 {
		return fmt.Errorf("%q: it must be a number of days, like 400d", text)
	}
	*d = Days(time.Duration(n) * day)
	return nil
}

// String returns the text form.
func (d Days) String() string { return fmt.Sprintf("%dd", time.Duration(d)/day) }

// MarshalText implements encoding.TextMarshaler.
func (d Days) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
