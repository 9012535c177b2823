package redact

// findIBAN finds an account number of ISO 13616: a country, two check digits and
// as many characters as the country's numbers have, together or in fours.
func (r *rule) findIBAN(n *numberAt) (match, bool) {
	s, country := n.s, [2]byte{n.s[n.start], n.s[n.start+1]}
	country[0], country[1] = country[0]&^0x20, country[1]&^0x20
	size := tables().ibanLength[country]
	if size == 0 {
		return match{}, false
	}
	var buf [34]byte
	plain, i, sep := buf[:0], n.start, byte(0)
	for ; i < len(s) && len(plain) < size && i-n.start < maxNumberLen; i++ {
		c := s[i]
		if c == ' ' || c == '-' {
			if len(plain) < 4 || sep != 0 && sep != c || i+1 >= len(s) || !isWord(s[i+1]) {
				break
			}
			sep = c
			continue
		}
		if c == '_' || !isWord(c) {
			break
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		plain = append(plain, c)
	}
	*n.work += i - n.start + 1
	if len(plain) != size || i < len(s) && isWord(s[i]) || mod97(plain[4:], plain[:4]) != 1 {
		return match{}, false
	}
	return match{n.start, i, n.start, r}, true
}

// mod97 is ISO 7064 MOD 97-10 over the parts, letters counting 10 to 35.
func mod97(parts ...[]byte) int {
	rest := 0
	for _, p := range parts {
		for _, c := range p {
			if isDigit(c) {
				rest = (rest*10 + int(c-'0')) % 97
			} else {
				rest = (rest*100 + int(c-'A') + 10) % 97
			}
		}
	}
	return rest
}
