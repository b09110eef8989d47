package upload

import (
	"fmt"

	"tapedeck/ingest"
)

// item is a parcel on its way.
type item struct {
	parcel  ingest.EncodedBlock
	done    func(error)
	settled bool // done was called; the item only keeps its number
}

// queue holds the parcels on their way, in order, and which of them the present
// connection has. It is guarded by its client.
type queue struct {
	items []*item
	sent  int    // so many of them were sent on this connection
	base  uint64 // the number there of the first
	bytes int64  // of the data of those not settled
	count int    // those not settled
}

func (q *queue) empty() bool { return q.count == 0 }

// fits reports whether a parcel may join; one alone may always.
func (q *queue) fits(p *ingest.EncodedBlock, bytes int64, count int) bool {
	return q.count == 0 || q.count < count && q.bytes+int64(len(p.Data)) <= bytes
}

func (q *queue) push(it *item) {
	q.items = append(q.items, it)
	q.bytes += int64(len(it.parcel.Data))
	q.count++
}

// next is the item to send, and counts it as sent; nil if there is none.
func (q *queue) next() *item {
	if q.sent == len(q.items) {
		return nil
	}
	q.sent++
	return q.items[q.sent-1]
}

// drop takes the item out that next has just given, so that it gets no number.
func (q *queue) drop(it *item) {
	q.settle(it)
	q.sent--
	q.items = append(q.items[:q.sent], q.items[q.sent+1:]...)
}

func (q *queue) settle(it *item) {
	it.settled = true
	q.bytes -= int64(len(it.parcel.Data))
	q.count--
}

// ack settles all up to number and gives those that were not settled before.
func (q *queue) ack(number uint64) ([]*item, error) {
	if number < q.base || number-q.base >= uint64(q.sent) {
		return nil, fmt.Errorf("number %d was acknowledged, %d to %d are on their way", number, q.base, q.base+uint64(q.sent))
	}
	n := int(number-q.base) + 1
	var fresh []*item
	for i, it := range q.items[:n] {
		if !it.settled {
			q.settle(it)
			fresh = append(fresh, it)
		}
		q.items[i] = nil
	}
	q.items = q.items[n:]
	q.sent -= n
	q.base += uint64(n)
	return fresh, nil
}

// refuse settles one number.
func (q *queue) refuse(number uint64) (*item, error) {
	if number < q.base || number-q.base >= uint64(q.sent) || q.items[number-q.base].settled {
		return nil, fmt.Errorf("number %d was refused, %d to %d are on their way", number, q.base, q.base+uint64(q.sent))
	}
	it := q.items[number-q.base]
	q.settle(it)
	return it, nil
}

// restart has everything that is not settled sent on another connection.
func (q *queue) restart() {
	kept := q.items[:0]
	for _, it := range q.items {
		if !it.settled {
			kept = append(kept, it)
		}
	}
	clear(q.items[len(kept):])
	q.items, q.sent, q.base = kept, 0, 0
}

// clear empties the queue and gives what was not settled.
func (q *queue) clear() []*item {
	q.restart()
	left := q.items
	*q = queue{}
	return left
}
