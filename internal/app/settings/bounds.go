package settings

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// bounds are the bounds of a setting, from its tags min, max and zero. A min of ">0" excludes 0.
type bounds struct {
	min, max string
	zero     string // what 0 means, if it is allowed in addition to the values between min and max
}

func boundsOf(f *kong.Flag) bounds {
	return bounds{min: f.Tag.Get("min"), max: f.Tag.Get("max"), zero: f.Tag.Get("zero")}
}

// String describes the bounds, such as "above 0"; "" for none.
func (b bounds) String() string {
	text := ""
	above, open := strings.CutPrefix(b.min, ">")
	switch {
	case open && b.max != "":
		text = "above " + above + ", at most " + b.max
	case open:
		text = "above " + above
	case b.min != "" && b.max != "":
		text = b.min + " to " + b.max
	case b.min != "":
		text = b.min + " or more"
	case b.max != "":
		text = b.max + " at most"
	}
	if b.zero != "" {
		text += ", or 0 for " + b.zero
	}
	return text
}

// holds reports whether a value is within the bounds.
func (b bounds) holds(v reflect.Value) bool {
	n, ok := number(v)
	if !ok || n == 0 && b.zero != "" {
		return true
	}
	if math.IsNaN(n) {
		return false
	}
	if b.min != "" {
		text, open := strings.CutPrefix(b.min, ">")
		if least := bound(v.Type(), text); n < least || open && n == least {
			return false
		}
	}
	return b.max == "" || n <= bound(v.Type(), b.max)
}

// number returns a value as a number.
func number(v reflect.Value) (float64, bool) {
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// bound parses the text of a bound for values of a type. It panics for an invalid tag, which a test
// excludes.
func bound(t reflect.Type, text string) float64 {
	var err error
	switch t {
	case reflect.TypeFor[Size]():
		var s Size
		err = s.UnmarshalText([]byte(text))
		return must(float64(s), err)
	case reflect.TypeFor[Days]():
		var d Days
		err = d.UnmarshalText([]byte(text))
		return must(float64(d), err)
	case reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(text)
		return must(float64(d), err)
	}
	n, err := strconv.ParseFloat(text, 64)
	return must(n, err)
}

func must(n float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return n
}

// unitOf returns the unit of a setting.
func unitOf(f *kong.Flag) string {
	unit := ""
	switch f.Target.Type() {
	case reflect.TypeFor[Size]():
		unit = "bytes"
	case reflect.TypeFor[Days]():
		unit = "days"
	case reflect.TypeFor[time.Duration]():
		unit = "duration"
	}
	return cmp.Or(f.Tag.Get("unit"), unit)
}

// outside returns an error if a setting is out of bounds, nil if it is within them.
func outside(f *kong.Flag, v reflect.Value, from Origin) error {
	b := boundsOf(f)
	if b.holds(v) {
		return nil
	}
	return fmt.Errorf("--%s=%v%s: it must be %s%s", f.Name, v.Interface(), from.note(), b, example(f))
}

// example returns an example value for settings whose form is not obvious.
func example(f *kong.Flag) string {
	if f.Target.Type() == reflect.TypeFor[time.Duration]() && f.Default != "" {
		return ", like " + f.Default
	}
	return ""
}
