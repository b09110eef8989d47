package dialect

import "testing"

type tableDecoder struct{ begun, nested int }

func (d *tableDecoder) begin(*Input)   { d.begun++ }
func (d *tableDecoder) nest(in *Input) { d.nested++; d.decode(in, "begin") }
func (d *tableDecoder) decode(in *Input, name string) (string, bool) {
	typ, known := tableTypes.Of([]byte(name))
	if typ.Handle != nil {
		typ.Handle(d, in)
	}
	return typ.Name, known
}

var tableTypes Types[func(*tableDecoder, *Input)]

func init() {
	tableTypes = NewTypes(map[string]func(*tableDecoder, *Input){
		"begin": (*tableDecoder).begin,
		"nest":  (*tableDecoder).nest,
		"ping":  nil,
	})
}

func TestTypes(t *testing.T) {
	d := &tableDecoder{}
	for _, c := range []struct {
		name  string
		known bool
	}{{"begin", true}, {"nest", true}, {"ping", true}, {"pong", false}, {"", false}} {
		if name, known := d.decode(nil, c.name); name != c.name || known != c.known {
			t.Errorf("%q: name %q, known %t", c.name, name, known)
		}
	}
	if d.begun != 2 || d.nested != 1 {
		t.Errorf("begin was called %d times, nest %d times", d.begun, d.nested)
	}
	typ := []byte("begin")
	if n := testing.AllocsPerRun(100, func() { tableTypes.Of(typ) }); n != 0 {
		t.Errorf("looking a type up allocates %v times", n)
	}
}
