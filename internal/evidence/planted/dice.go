package planted

// dice gives the same numbers for the same seed (splitmix64).
type dice struct{ state uint64 }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// IntN returns a number from 0 to n-1.
func (d *dice) IntN(n int) int { return int(d.next() % uint64(n)) }

// Int64N returns a number from 0 to n-1.
func (d *dice) Int64N(n int64) int64 { return int64(d.next() % uint64(n)) }
