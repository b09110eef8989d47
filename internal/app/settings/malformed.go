package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// malformed returns the error for a text that is not a valid value of a setting.
func malformed(f *kong.Flag, raw any, from Origin, err error) error {
	shown := fmt.Sprintf("=%v", raw)
	if f.Tag.Has("secret") {
		shown = ""
	}
	why := strings.TrimPrefix(err.Error(), fmt.Sprintf("--%s: ", f.Name))
	t := f.Target.Type()
	switch {
	case t == reflect.TypeFor[time.Duration]():
		why = "it must be a time with a unit, like " + durationExample(f)
	case t == reflect.TypeFor[Size]() || t == reflect.TypeFor[Days]():
		_, after, _ := strings.Cut(why, ": ")
		why = after
	case t.Kind() == reflect.Bool:
		why = "it must be true or false"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		why = "it must be a whole number"
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		why = "it must be a whole number from 0 on"
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		why = "it must be a number"
	case t.Kind() != reflect.Slice:
		if _, list := raw.([]any); list {
			why = "it takes one value, not a list"
		}
	}
	return fmt.Errorf("--%s%s%s: %s", f.Name, shown, from.note(), why)
}

func durationExample(f *kong.Flag) string {
	if f.Default != "" {
		return f.Default
	}
	return "30s"
}

// checkEnum returns an error if a value is not among the values that a setting allows.
func checkEnum(f *kong.Flag, v reflect.Value, from Origin) error {
	if f.Enum == "" {
		return nil
	}
	allowed := f.EnumSlice()
	values := []string{v.String()}
	if list, ok := v.Interface().([]string); ok {
		values = list
	}
	for _, value := range values {
		if !slices.Contains(allowed, value) {
			return fmt.Errorf("--%s=%s%s: it must be one of %s", f.Name, value, from.note(),
				strings.Join(slices.DeleteFunc(allowed, func(v string) bool { return v == "" }), ", "))
		}
	}
	return nil
}
