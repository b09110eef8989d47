package settings

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Setting is a declared setting.
type Setting struct {
	Name     string // of the flag without --, and of the key in YAML
	Variable string // of the environment
	Type     string
	Unit     string
	Default  string
	Bounds   string // for example "above 0"; "" for none
	Group    string
	Help     string
	Secret   bool // also read from the file that the variable Variable_FILE names
	Reload   bool // a running server applies a new value
	Commands []string
	flag     *kong.Flag
}

// List returns the settings of servers, by group and name.
func List() []Setting {
	var declared struct {
		Up    Up    `cmd:""`
		Serve Serve `cmd:""`
	}
	app := kong.Must(&declared)
	var list []Setting
	for _, command := range app.Model.Children {
		for _, f := range command.Flags {
			if f.Name == "help" {
				continue
			}
			i := slices.IndexFunc(list, func(s Setting) bool { return s.Name == f.Name })
			if i < 0 {
				i = len(list)
				list = append(list, declare(f))
			}
			list[i].Commands = append(list[i].Commands, command.Name)
		}
	}
	slices.SortStableFunc(list, func(a, b Setting) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
	})
	return list
}

func declare(f *kong.Flag) Setting {
	s := Setting{
		Name: f.Name, Type: typeOf(f), Unit: unitOf(f), Default: f.Default, Bounds: boundsOf(f).String(), Group: "General",
		Help: f.Help, Secret: f.Tag.Has("secret"), Reload: f.Tag.Has("reload"), flag: f,
	}
	if len(f.Envs) > 0 {
		s.Variable = f.Envs[0]
	}
	if f.Group != nil {
		s.Group = f.Group.Key
	}
	if f.Enum != "" {
		s.Bounds = strings.Join(f.EnumSlice(), ", ")
	}
	return s
}

// typeOf returns the name of the type of a setting's values.
func typeOf(f *kong.Flag) string {
	switch t := f.Target.Type(); {
	case t == reflect.TypeFor[Size]():
		return "size"
	case t == reflect.TypeFor[Days]():
		return "days"
	case t == reflect.TypeFor[time.Duration]():
		return "duration"
	case t.Kind() == reflect.Bool:
		return "switch"
	case t.Kind() == reflect.Slice:
		return "list"
	case t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() != reflect.String:
		return "whole number"
	case f.Enum != "":
		return "choice"
	case f.Tag.Type == "path":
		return "path"
	}
	return "text"
}
