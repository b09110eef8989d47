package alertfollow

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// longest bounds a line of the stream, bytes.
const longest = 1 << 20

var errEnded = errors.New("the server ended the stream")

// event is a server-sent event (WHATWG HTML, section 9.2.6).
type event struct {
	name, id string
	data     []byte
}

// events reads the events of a tapedeck server, whose lines end with a line feed.
type events struct{ lines *bufio.Scanner }

func newEvents(r io.Reader) *events {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), longest)
	return &events{s}
}

// next returns the next event with data.
func (s *events) next() (event, error) {
	var e event
	for s.lines.Scan() {
		line := s.lines.Bytes()
		if len(line) == 0 {
			if e.data != nil {
				return e, nil
			}
			e = event{}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			e.name = string(value)
		case "id":
			e.id = string(value)
		case "data":
			if e.data != nil {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
		}
	}
	if err := s.lines.Err(); err != nil {
		return e, err
	}
	return e, errEnded
}
