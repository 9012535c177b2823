package redactcorpus

import (
	"fmt"
	"strconv"
	"strings"
)

func luhnDigit(s string) string {
	sum := 0
	for i := range s {
		v := int(s[len(s)-1-i] - '0')
		if i%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return strconv.Itoa((10 - sum%10) % 10)
}

func card(d dice) string {
	type plan struct {
		prefix string
		size   int
		groups []int
	}
	p := pick(d, []plan{{"4", 16, []int{4, 4, 4, 4}}, {"4", 16, []int{4, 4, 4, 4}}, {"5" + d.of("12345", 1), 16, []int{4, 4, 4, 4}}, {"2" + strconv.Itoa(d.between(221, 720)), 16, []int{4, 4, 4, 4}},
		{"3" + d.of("47", 1), 15, []int{4, 6, 5}}, {"6011", 16, []int{4, 4, 4, 4}}, {"65", 16, []int{4, 4, 4, 4}}, {"35" + strconv.Itoa(d.between(28, 89)), 16, []int{4, 4, 4, 4}},
		{"30" + d.of("012345", 1), 14, []int{4, 6, 4}}, {"62", 16, []int{4, 4, 4, 4}}})
	n := p.prefix + d.of(digit, p.size-1-len(p.prefix))
	n += luhnDigit(n)
	sep := pick(d, []string{"", "", " ", "-"})
	var parts []string
	for _, g := range p.groups {
		parts, n = append(parts, n[:g]), n[g:]
	}
	return strings.Join(parts, sep)
}

// mod97of is the remainder of a number written with letters as 10 to 35.
func mod97of(s string) int {
	r := 0
	for _, c := range s {
		if c >= 'A' {
			r = (r*100 + int(c-'A') + 10) % 97
		} else {
			r = (r*10 + int(c-'0')) % 97
		}
	}
	return r
}

func iban(d dice) string {
	country := pick(d, []string{"DE n18", "FR n10 c11 n2", "GB a4 n14", "ES n20", "IT a1 n10 c12", "NL a4 n10", "BE n12", "CH n5 c12", "AT n16", "PL n24", "SE n20", "NO n11", "DK n14", "FI n14",
		"PT n21", "IE a4 n14", "CZ n20", "RO a4 c16", "HU n24", "GR n7 c16", "TR n5 c17", "SA n2 c18", "AE n19", "BR n23 a1 c1", "LT n16", "LU n3 c13", "MT a4 n5 c18"})
	parts := strings.Fields(country)
	body := ""
	for _, p := range parts[1:] {
		n, _ := strconv.Atoi(p[1:])
		body += d.of(map[byte]string{'n': digit, 'a': upper, 'c': upper + digit}[p[0]], n)
	}
	s := parts[0] + fmt.Sprintf("%02d", 98-mod97of(body+parts[0]+"00")) + body
	if d.IntN(2) == 0 {
		return lines(s, 4, " ")
	}
	return s
}

// phone is a number as its country writes it, and whether its form alone says
// that it is one.
func phone(d dice) (text string, plain bool) {
	n := func(k int) string { return d.of(digit, k) }
	nanp := func() (string, string) {
		return d.of("23456789", 1) + d.of(digit, 2), d.of("23456789", 1) + d.of(digit, 2)
	}
	a, b := nanp()
	switch d.IntN(20) {
	case 0:
		return "+1" + a + b + n(4), true
	case 1:
		return "+1 " + a + "-" + b + "-" + n(4), true
	case 2:
		return "(" + a + ") " + b + "-" + n(4), true
	case 3:
		return a + "-" + b + "-" + n(4), true
	case 4:
		return a + "." + b + "." + n(4), true
	case 5:
		return "+44 20 7" + n(3) + " " + n(4), true
	case 6:
		return "+44 7" + n(3) + " " + n(6), true
	case 7:
		return "+49 30 " + n(6), true
	case 8:
		return "+49 (0)171 " + n(7), true
	case 9:
		return "+33 6 " + n(2) + " " + n(2) + " " + n(2) + " " + n(2), true
	case 10:
		return "06 " + n(2) + " " + n(2) + " " + n(2) + " " + n(2), true
	case 11:
		return "+91 9" + n(4) + " " + n(5), true
	case 12:
		return "+55 (11) 9" + n(4) + "-" + n(4), true
	case 13:
		return "+81-90-" + n(4) + "-" + n(4), true
	case 14:
		return "+86 138 " + n(4) + " " + n(4), true
	case 15:
		return "+34 6" + n(2) + " " + n(3) + " " + n(3), true
	case 16:
		return "+353 87 " + n(3) + " " + n(4), true
	case 17:
		return a + b + n(4), false
	case 18:
		return "138" + n(8), false
	}
	return "0171 " + n(7), false
}

func email(d dice) string {
	local := pick(d, []string{d.word() + "." + d.word(), d.word() + d.of(digit, 2), d.of(lower, 1) + d.word(), d.word() + "+" + d.word(), d.word() + "_" + d.word()})
	return local + "@" + pick(d, []string{"corp.example", "mail.example.org", "example.co.uk", d.word() + ".dev", d.word() + "-" + d.word() + ".io"})
}

// publicIP is an address outside every special range.
func publicIP(d dice) string {
	if d.IntN(4) == 0 {
		parts := []string{"2" + d.of("0123456", 1) + d.of(hexLow, 2)}
		for range 7 {
			parts = append(parts, strings.TrimLeft(d.of(hexLow, 4), "0")+"1")
		}
		for i := range parts {
			if len(parts[i]) > 4 {
				parts[i] = parts[i][:4]
			}
		}
		if d.IntN(2) == 0 {
			return strings.Join(parts[:4], ":") + "::" + parts[7]
		}
		return strings.Join(parts, ":")
	}
	first := pick(d, []int{23, 34, 45, 52, 66, 78, 81, 93, 104, 133, 151, 176, 185, 194, 203, 212})
	return fmt.Sprintf("%d.%d.%d.%d", first, d.between(1, 254), d.between(1, 254), d.between(1, 254))
}
