package redact

// issuer is a range of first digits with the lengths of its cards.
type issuer struct {
	From    int   `yaml:"from"` // first digits, as a number
	To      int   `yaml:"to"`
	Lengths []int `yaml:"lengths"`
}

// cardWords are said before a card number whose length is also that of other
// numbers.
var cardWords = newWordList([]string{"card", "credit", "debit", "visa", "mastercard", "amex", "maestro", "pan", "cc", "kreditkarte", "karte", "carte", "tarjeta", "carta", "cartao", "cartão", "kaart", "银行卡", "信用卡", "卡号", "カード"})

// findCard finds 12 to 19 digits of a known issuer with a right check digit,
// together or in groups as they are printed.
func (r *rule) findCard(n *numberAt) (match, bool) {
	end, groups := n.grouped()
	*n.work += end - n.start
	var buf [19]byte
	digits := plainNumber(n.s[n.start:end], buf[:])
	if groups > 1 && n.inGrid(n.start, end) && !cardWords.before(n.s, n.start, n.lo, n.work) {
		return match{}, false
	}
	if len(digits) < 12 || goesOn(n.s, end) || !ofIssuer(digits) || !luhn(digits) {
		return match{}, false
	}
	if groups == 1 && (len(digits) < 14 || len(digits) > 16) && !cardWords.before(n.s, n.start, n.lo, n.work) {
		return match{}, false
	}
	return match{n.start, end, n.start, r}, true
}

// grouped reads runs of digits that one space or dash parts, the same
// everywhere, of which all but the last have four to six digits.
func (n *numberAt) grouped() (end, groups int) {
	s, i := n.s, n.start
	var sep byte
	for total := 0; ; {
		run := i
		for run < len(s) && isDigit(s[run]) && run-i < 20 {
			run++
		}
		total += run - i
		end, groups = run, groups+1
		if run-i < 4 || run-i > 6 || total >= 19 || run+1 >= len(s) || s[run] != ' ' && s[run] != '-' || sep != 0 && s[run] != sep || !isDigit(s[run+1]) {
			return end, groups
		}
		if next := digitsAt(s, run+1); total+next > 19 || next < 2 || next > 6 || total >= 15 && s[run] == ' ' && total+next > 16 && next != 3 {
			return end, groups
		}
		sep, i = s[run], run+1
	}
}

func digitsAt(s string, i int) int {
	n := 0
	for i+n < len(s) && isDigit(s[i+n]) && n < 20 {
		n++
	}
	return n
}

func ofIssuer(digits []byte) bool {
	return tables().cardLengths[number(digits[:issuerDigits])]>>len(digits)&1 == 1
}

// issuerDigits is how many first digits tell issuers apart.
const issuerDigits = 4

// spread marks the lengths of the issuer's cards under all first digits of its
// range.
func (is issuer) spread(lengths *[10000]uint32) {
	from, to := is.From, is.To
	for from < 1000 {
		from, to = from*10, to*10+9
	}
	for n := from; n <= to; n++ {
		for _, l := range is.Lengths {
			lengths[n] |= 1 << l
		}
	}
}

// luhn is ISO/IEC 7812-1 annex B.
func luhn(digits []byte) bool {
	sum, double := 0, false
	for i := len(digits) - 1; i >= 0; i-- {
		d := int(digits[i] - '0')
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum, double = sum+d, !double
	}
	return sum%10 == 0
}
