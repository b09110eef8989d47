package settings

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Size is a number of bytes. Its text form is a number, optionally with a unit: 16MiB, 1.5GiB, 1GB.
type Size int64

// sizeUnits are the units of sizes. String uses the first five, the last of which is the largest.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"PiB", 1 << 50},
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40}, {"Pi", 1 << 50},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15}, {"B", 1},
}

const sizeForm = "a number of bytes, or a number with KiB, MiB, GiB, TiB, kB, MB, GB or TB, like 16MiB"

// UnmarshalText implements encoding.TextUnmarshaler. It accepts negative sizes, so that the error
// names the bounds of the setting.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := strings.TrimSpace(string(text)), int64(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	if n, letter := strings.TrimRight(number, "kKmMgGtT"), number; n != letter && unit == 1 {
		if _, err := strconv.ParseFloat(n, 64); err == nil && len(letter)-len(n) == 1 {
			letter = strings.ToUpper(letter[len(n):])
			return fmt.Errorf("%q: write %s%siB (1024 to the unit) or %s%sB (1000)", text, n, letter, n, letter)
		}
	}
	if strings.Trim(number, "+-0123456789.") != "" {
		return fmt.Errorf("%q: it must be %s", text, sizeForm)
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return fmt.Errorf("%q: it must be %s", text, sizeForm)
	}
	r.Mul(r, big.NewRat(unit, 1))
	switch {
	case !r.IsInt():
		return fmt.Errorf("%q: it must be a whole number of bytes", text)
	case !r.Num().IsInt64():
		return fmt.Errorf("%q: it is more than %s", text, Size(1<<63-1))
	}
	*s = Size(r.Num().Int64())
	return nil
}

// String returns the size in the largest unit of which it is a whole multiple.
func (s Size) String() string {
	for i := 4; i >= 0 && s != 0; i-- {
		if u := sizeUnits[i]; int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalText implements encoding.TextMarshaler.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
