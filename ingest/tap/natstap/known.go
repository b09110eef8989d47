package natstap

import "slices"

// known tracks which messages of a JetStream stream were recorded, by their numbers: the messages
// that are not durable yet, and the durable ones that may be delivered again.
type known struct {
	all     bool                // messages are read in order, and none is delivered again: all up to last were recorded
	last    uint64              // the highest number
	pending map[uint64]struct{} // not durable
	done    map[uint64]struct{} // durable, above floor
	floor   uint64              // all messages up to here are acknowledged
}

func newKnown(all bool) known {
	return known{all: all, pending: map[uint64]struct{}{}, done: map[uint64]struct{}{}}
}

// has reports whether a message was recorded, and whether it is durable.
func (k *known) has(number uint64) (recorded, durable bool) {
	if k.all {
		return number <= k.last, false
	}
	if number <= k.floor {
		return true, true
	}
	if _, ok := k.pending[number]; ok {
		return true, false
	}
	_, ok := k.done[number]
	return ok, ok
}

func (k *known) add(number uint64) {
	k.last = max(k.last, number)
	if !k.all {
		k.pending[number] = struct{}{}
	}
}

// settle marks a message as durable.
func (k *known) settle(number uint64) {
	if k.all {
		return
	}
	delete(k.pending, number)
	if number > k.floor {
		k.done[number] = struct{}{}
	}
}

// forget removes the messages up to floor, which are never delivered again. A purge moves the
// consumer's floor beyond messages that were delivered and wait to be recorded: the numbers of
// these messages are above last.
func (k *known) forget(floor uint64) {
	floor = min(floor, k.last)
	if floor <= k.floor {
		return
	}
	k.floor = floor
	for n := range k.done {
		if n <= floor {
			delete(k.done, n)
		}
	}
}

// ranges returns the durable messages as ranges, both ends included.
func (k *known) ranges() [][2]uint64 {
	numbers := make([]uint64, 0, len(k.done))
	for n := range k.done {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	var ranges [][2]uint64
	for _, n := range numbers {
		if last := len(ranges) - 1; last >= 0 && ranges[last][1]+1 == n {
			ranges[last][1] = n
			continue
		}
		ranges = append(ranges, [2]uint64{n, n})
	}
	return ranges
}
