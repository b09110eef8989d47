package dialect

// Types maps the name of a frame's type to its handler. H is a method expression, or a
// description that a method reads. The zero H is for a known type from which nothing is
// concluded.
//
// A table whose handlers look types up in it is filled in an init function, as the compiler
// refuses a variable whose initial value depends on itself.
type Types[H any] map[string]Type[H]

// Type is an entry of a table.
type Type[H any] struct {
	Name   string // for the envelope: it stays valid, unlike the name in a frame
	Handle H
}

// NewTypes makes a table.
func NewTypes[H any](handlers map[string]H) Types[H] {
	t := make(Types[H], len(handlers))
	for name, handle := range handlers {
		t[name] = Type[H]{name, handle}
	}
	return t
}

// Of looks up a frame's type. The result has a Name also for an unknown type.
func (t Types[H]) Of(name []byte) (found Type[H], known bool) {
	if found, known = t[string(name)]; !known {
		found.Name = Intern(name)
	}
	return found, known
}
