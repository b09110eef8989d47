// Package inflight tracks entries that were sent and are not settled yet, in the order in which
// they were sent, and the entry up to which all are settled.
package inflight

// Tracker holds entries in flight. Each has a number, counted from 0, and a value. The zero Tracker
// is empty and ready for use. It has no lock of its own: its owner guards it.
type Tracker[T any] struct {
	window []entry[T] // beginning with number base
	head   int        // index of the oldest entry in flight; all before it are settled
	base   uint64
	open   int // number of entries in flight
	mark   T
	marked bool // mark is set
}

type entry[T any] struct {
	value   T
	settled bool
}

// keptCapacity is the capacity in entries that an empty tracker keeps.
const keptCapacity = 16

// Add adds a value and returns its number.
func (t *Tracker[T]) Add(value T) uint64 {
	t.window = append(t.window, entry[T]{value: value})
	t.open++
	return t.base + uint64(len(t.window)) - 1
}

// Settle removes an entry and returns its value. It returns false for a number that was settled
// before or was never assigned.
func (t *Tracker[T]) Settle(number uint64) (value T, ok bool) {
	if number < t.Settled() || number-t.base >= uint64(len(t.window)) || t.window[number-t.base].settled {
		return value, false
	}
	e := &t.window[number-t.base]
	e.settled = true
	t.open--
	value = e.value
	t.advance()
	return value, true
}

// SettleWhile removes the entries in flight, the oldest first, up to the first one whose value does
// not satisfy due. It returns their values.
func (t *Tracker[T]) SettleWhile(due func(T) bool) (values []T) {
	for i := t.head; i < len(t.window); i++ {
		if t.window[i].settled {
			continue
		}
		if !due(t.window[i].value) {
			break
		}
		values = append(values, t.window[i].value)
		t.window[i].settled = true
		t.open--
	}
	t.advance()
	return values
}

// Clear removes all entries in flight and returns their values, the oldest first.
func (t *Tracker[T]) Clear() []T {
	return t.SettleWhile(func(T) bool { return true })
}

// advance moves head to the oldest entry in flight. It removes settled entries once they are half
// of the window.
func (t *Tracker[T]) advance() {
	before := t.head
	for t.head < len(t.window) && t.window[t.head].settled {
		t.head++
	}
	if t.head == before {
		return
	}
	t.mark, t.marked = t.window[t.head-1].value, true
	clear(t.window[before:t.head])
	if t.head < (len(t.window)+1)/2 {
		return
	}
	t.base += uint64(t.head)
	left := copy(t.window, t.window[t.head:])
	clear(t.window[left:])
	t.window, t.head = t.window[:left], 0
	if left == 0 && cap(t.window) > keptCapacity {
		t.window = nil
	}
}

// Watermark returns the value of the newest entry up to which all entries are settled. It returns
// false if there is none.
func (t *Tracker[T]) Watermark() (value T, ok bool) { return t.mark, t.marked }

// Settled returns the number below which all entries are settled.
func (t *Tracker[T]) Settled() uint64 { return t.base + uint64(t.head) }

// Oldest returns the value of the oldest entry in flight. It returns false if there is none.
func (t *Tracker[T]) Oldest() (value T, ok bool) {
	if t.head == len(t.window) {
		return value, false
	}
	return t.window[t.head].value, true
}

// Len returns the number of entries in flight.
func (t *Tracker[T]) Len() int { return t.open }
