package mapping

// applySum writes the sum of the sources that say a number.
func (s *scratch) applySum(f *field) {
	sum := s.sumOf(f.sum)
	if sum <= 0 {
		return
	}
	if f.divisor != 0 {
		sum /= f.divisor
	}
	d := datum{kind: kindDouble, f: sum}
	s.write(f, nil, &d)
}

// sumOf adds the numbers that the sources say.
func (s *scratch) sumOf(from []source) (sum float64) {
	for i := range from {
		d := s.read(&from[i])
		if n, ok := d.number(); ok && n > 0 {
			sum += n
		}
	}
	return sum
}

// applyBetween writes how much later the second source is than the first.
func (s *scratch) applyBetween(f *field) {
	from, to := s.read(&f.between[0]), s.read(&f.between[1])
	begin, ok := from.number()
	end, also := to.number()
	if !ok || !also || end < begin {
		return
	}
	d := datum{kind: kindDouble, f: end - begin}
	if f.divisor != 0 {
		d.f /= f.divisor
	}
	s.write(f, nil, &d)
}
