package align

// The weights of pairs. A pair of equal steps weighs more than any two other pairs that would have
// to be dropped for it.
const (
	exactWorth = 8
	keyWorth   = 5
	looseWorth = 2
)

// cellsMost bounds the table of one alignment. Longer sequences are aligned within a band around
// the diagonal of the table.
const cellsMost = 4 << 20

func worth(x, y element) int32 {
	switch {
	case x.exact == y.exact:
		return exactWorth
	case x.key == y.key:
		return keyWorth
	case x.loose == y.loose:
		return looseWorth
	}
	return 0
}

const (
	skipA byte = iota
	skipB
	both
)

// band is the computed part of the table of a[i:] and b[j:]: in each row the columns from low(row)
// on.
type band struct{ rows, columns, width int }

func newBand(rows, columns int) band {
	width := min(columns+1, max(cellsMost/(rows+1), 16))
	return band{rows, columns, width}
}

// low returns the first column of a row.
func (b band) low(row int) int {
	low := row*b.columns/b.rows - b.width/2
	return max(min(low, b.columns+1-b.width), 0)
}

// banded aligns a[i:iEnd] with b[j:jEnd] and maximises the weight of the pairs. Among equal
// alignments it returns the one that pairs early.
func (t *task) banded(i, iEnd, j, jEnd int) {
	a, b := t.a[i:iEnd], t.b[j:jEnd]
	in := newBand(len(a), len(b))
	moves := make([]byte, (len(a)+1)*in.width)
	next, row := make([]int32, in.width), make([]int32, in.width)
	// at returns a cell of the table. A cell outside of the band is never on the best path.
	at := func(values []int32, low, column int) int32 {
		if k := column - low; k >= 0 && k < in.width {
			return values[k]
		}
		return -1 << 30
	}
	nextLow := in.low(len(a))
	for k := range moves[len(a)*in.width:] {
		moves[len(a)*in.width+k] = skipB
	}
	for x := len(a) - 1; x >= 0; x-- {
		low := in.low(x)
		for k := in.width - 1; k >= 0; k-- {
			y := low + k
			best, move := at(next, nextLow, y), skipA
			if y < len(b) {
				if w := worth(a[x], b[y]); w > 0 {
					if v := at(next, nextLow, y+1) + w; v >= best {
						best, move = v, both
					}
				}
				if k+1 < in.width && row[k+1] > best {
					best, move = row[k+1], skipB
				}
			}
			row[k], moves[x*in.width+k] = best, move
		}
		next, row, nextLow = row, next, low
	}
	for x, y := 0, 0; x < len(a) && y < len(b); {
		switch moves[x*in.width+y-in.low(x)] {
		case both:
			t.pair(i+x, j+y)
			x, y = x+1, y+1
		case skipB:
			y++
		default:
			x++
		}
	}
}
