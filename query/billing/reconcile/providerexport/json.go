package providerexport

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// pages reads the pages of an API, one after another or in a list. A page is an object whose data
// member lists buckets of time, each with a list of results.
type pages struct {
	*json.Decoder
	export *Export
	in     *input
	opts   Options
}

func readJSON(e *Export, from *bufio.Reader, in *input, o Options) error {
	if mark, err := from.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		return &Error{Line: 1, Why: "JSON begins with a byte order mark: save the file without one"}
	}
	p := &pages{json.NewDecoder(from), e, in, o}
	p.UseNumber()
	for p.More() {
		if err := p.values("", func(path string) error { return p.object(path, p.page) }); err != nil {
			return p.problem(err)
		}
	}
	if _, err := p.Token(); err != io.EOF {
		return p.problem(err)
	}
	return nil
}

// values reads one value, or all elements of a list.
func (p *pages) values(path string, each func(path string) error) error {
	token, err := p.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return each(path)
	case json.Delim('['):
		return p.list(path, each)
	}
	return p.wrong(path, "it is neither an object nor a list")
}

// list reads the rest of a list of objects.
func (p *pages) list(path string, each func(path string) error) error {
	for i := 0; p.More(); i++ {
		p.in.pass(p.InputOffset())
		at := fmt.Sprintf("%s[%d]", path, i)
		if token, err := p.Token(); err != nil {
			return err
		} else if token != json.Delim('{') {
			return p.wrong(at, "it is not an object")
		}
		if err := each(at); err != nil {
			return err
		}
	}
	_, err := p.Token()
	return err
}

// object reads the rest of an object and calls member for each of its members.
func (p *pages) object(path string, member func(path, name string) error) error {
	for p.More() {
		token, err := p.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if err := member(join(path, name), name); err != nil {
			return err
		}
	}
	_, err := p.Token()
	return err
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (p *pages) page(path, name string) error {
	if name != "data" {
		var value any
		err := p.Decode(&value)
		if name == "has_more" {
			p.export.HasMore, _ = value.(bool)
		}
		return err
	}
	if token, err := p.Token(); err != nil {
		return err
	} else if token != json.Delim('[') {
		return p.wrong(path, "it is not a list")
	}
	return p.list(path, p.bucket)
}

// bucket reads a bucket of time. Its times must come before its results, as both APIs write them.
func (p *pages) bucket(path string) error {
	times, found := map[string]string{}, false
	err := p.object(path, func(at, name string) error {
		if name != "results" {
			var value any
			if err := p.Decode(&value); err != nil {
				return err
			}
			return flatten(times, name, value, func(field string) error {
				return p.wrong(join(path, field), "it is not text or a number")
			})
		}
		found = true
		if token, err := p.Token(); err != nil {
			return err
		} else if token != json.Delim('[') {
			return p.wrong(at, "it is not a list")
		}
		for i := 0; p.More(); i++ {
			if err := p.result(path, fmt.Sprintf("%s[%d]", at, i), times); err != nil {
				return err
			}
		}
		_, err := p.Token()
		return err
	})
	if err == nil && !found {
		err = p.wrong(join(path, "results"), "it is missing")
	}
	if err != nil {
		return err
	}
	r := p.row(path, times)
	if _, ok := times["starting_at"]; ok {
		p.export.cover(r.instantDay("starting_at", "ending_at"))
	} else {
		p.export.cover(r.unixDay("start_time", "end_time"))
	}
	return r.err
}

func (p *pages) result(bucket, path string, times map[string]string) error {
	p.in.pass(p.InputOffset())
	var members map[string]any
	if err := p.Decode(&members); err != nil {
		return err
	}
	fields := maps.Clone(times)
	delete(fields, "object") // of the bucket
	for _, name := range slices.Sorted(maps.Keys(members)) {
		err := flatten(fields, name, members[name], func(field string) error {
			return p.wrong(join(path, field), "it is not text or a number")
		})
		if err != nil {
			return err
		}
	}
	f := jsonFormat(fields)
	if err := p.export.begin(f, p.opts, p.line()); err != nil {
		return err
	}
	r := p.row(path, fields)
	for _, name := range []string{"start_time", "end_time", "starting_at", "ending_at"} {
		if _, ok := times[name]; !ok && slices.Contains(f.required, name) {
			return p.wrong(join(bucket, name), "it is missing before the results")
		}
	}
	if check(f, slices.Sorted(maps.Keys(fields)), p.opts, r.fail); r.err == nil {
		if n := f.read(r); r.err == nil {
			p.export.add(n, r)
		}
	}
	return r.err
}

func (p *pages) row(path string, fields map[string]string) *row {
	return &row{fields: fields, prefix: path + ".", line: func(string) int { return p.line() }}
}

// flatten adds a value, or the members of an object, to the fields; null is empty.
func flatten(fields map[string]string, name string, value any, wrong func(field string) error) error {
	switch v := value.(type) {
	case nil:
		fields[name] = ""
	case string:
		fields[name] = v
	case json.Number:
		fields[name] = v.String()
	case bool:
		fields[name] = fmt.Sprint(v)
	case map[string]any:
		for inner, value := range v {
			if _, deep := value.(map[string]any); deep {
				return wrong(name + "." + inner)
			}
			if err := flatten(fields, name+"."+inner, value, wrong); err != nil {
				return err
			}
		}
	default:
		return wrong(name)
	}
	return nil
}

func (p *pages) line() int { return p.in.lineAt(p.InputOffset()) }

func (p *pages) wrong(path, why string) error { return &Error{p.line(), path, why} }

// problem adds the line to an error of the decoder.
func (p *pages) problem(err error) error {
	if at, ok := errors.AsType[*Error](err); ok {
		return at
	}
	line := p.line()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &Error{Line: p.in.lineAt(syntax.Offset), Why: "it is not JSON: " + syntax.Error()}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &Error{Line: line, Why: "it ends in the middle of a value: the file was cut off"}
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &Error{Line: line, Why: "a result is not an object but a " + kind.Value}
	}
	return err
}
