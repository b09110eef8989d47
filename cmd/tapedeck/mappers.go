package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// valueMappers parse the values of flags and arguments. They accept the same values as kong's own
// mappers; their errors state which values are valid.
func valueMappers() []kong.Option {
	list := []kong.Option{
		kong.TypeMapper(reflect.TypeFor[time.Duration](), mapper("a time with a unit, like 30s", func(text string, v reflect.Value) error {
			d, err := time.ParseDuration(text)
			v.SetInt(int64(d))
			return err
		})),
		kong.KindMapper(reflect.Bool, switchMapper{}),
	}
	for _, kind := range []reflect.Kind{reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64} {
		list = append(list, kong.KindMapper(kind, mapper("a whole number", func(text string, v reflect.Value) error {
			n, err := strconv.ParseInt(text, 0, v.Type().Bits())
			v.SetInt(n)
			return err
		})))
	}
	for _, kind := range []reflect.Kind{reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64} {
		list = append(list, kong.KindMapper(kind, mapper("a whole number from 0 on", func(text string, v reflect.Value) error {
			n, err := strconv.ParseUint(text, 0, v.Type().Bits())
			v.SetUint(n)
			return err
		})))
	}
	return list
}

// mapper returns a mapper that parses the text of a value with set. what describes valid texts.
func mapper(what string, set func(text string, v reflect.Value) error) kong.Mapper {
	return kong.MapperFunc(func(c *kong.DecodeContext, target reflect.Value) error {
		token := c.Scan.Pop()
		text := fmt.Sprint(token.Value)
		if !token.IsValue() {
			return fmt.Errorf("its value is missing: it must be %s", what)
		}
		read := reflect.New(target.Type()).Elem()
		if err := set(text, read); err != nil {
			return fmt.Errorf("it must be %s, not %q", what, text)
		}
		target.Set(read)
		return nil
	})
}

// switchMapper parses switches: flags without a value, which accept true or false after "=" and in
// environment variables.
type switchMapper struct{}

// IsBool implements kong.BoolMapper.
func (switchMapper) IsBool() bool { return true }

// Decode implements kong.Mapper.
func (switchMapper) Decode(c *kong.DecodeContext, target reflect.Value) error {
	if c.Scan.Peek().Type != kong.FlagValueToken {
		target.SetBool(true)
		return nil
	}
	switch text := fmt.Sprint(c.Scan.Pop().Value); strings.ToLower(text) {
	case "true", "1", "yes":
		target.SetBool(true)
	case "false", "0", "no":
		target.SetBool(false)
	default:
		return fmt.Errorf("it is a switch, without a value such as %q", text)
	}
	return nil
}
