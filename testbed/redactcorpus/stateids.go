package redactcorpus

import (
	"fmt"
	"strconv"
	"strings"
)

// stateID is how one country makes the ids of its people. said is what stands
// before one in a text; an empty one says that its form is enough.
type stateID struct {
	country string
	said    []string
	make    func(d dice) string
}

// sum weighs digits.
func sum(s string, weights ...int) int {
	n := 0
	for i, w := range weights {
		n += w * int(s[i]-'0')
	}
	return n
}

func (d dice) ymd() string {
	return fmt.Sprintf("%02d%02d%02d", d.between(40, 99), d.between(1, 12), d.between(1, 28))
}

func (d dice) dmy() string {
	return fmt.Sprintf("%02d%02d%02d", d.between(1, 28), d.between(1, 12), d.between(40, 99))
}

// retry makes numbers until one has a check digit.
func retry(d dice, f func() (string, bool)) string {
	for {
		if s, ok := f(); ok {
			return s
		}
	}
}

var stateIDs = []stateID{
	{"US", nil, func(d dice) string {
		return fmt.Sprintf("%03d-%02d-%04d", d.between(1, 665), d.between(1, 99), d.between(1, 9999))
	}},
	{"US plain", []string{"SSN", "social security number"}, func(d dice) string {
		return fmt.Sprintf("%03d%02d%04d", d.between(100, 665), d.between(1, 99), d.between(1, 9999))
	}},
	{"CA", []string{"SIN"}, func(d dice) string {
		n := d.of("1234567", 1) + d.of(digit, 7)
		return lines(n+luhnDigit(n), 3, pick(d, []string{" ", "-", ""}))
	}},
	{"GB", nil, func(d dice) string {
		s := pick(d, []string{"AB", "CE", "JM", "PW", "SC"}) + d.of(digit, 6) + d.of("ABCD", 1)
		if d.IntN(2) == 0 {
			return s[:2] + " " + s[2:4] + " " + s[4:6] + " " + s[6:8] + " " + s[8:]
		}
		return s
	}},
	{"DE", []string{"Steuer-ID", "Steueridentifikationsnummer", "tax id"}, func(d dice) string {
		order := d.Perm(10)
		n := strconv.Itoa(order[0])
		if n == "0" {
			n = "9"
			for i, v := range order {
				if v == 9 {
					order[i] = 0
				}
			}
		}
		for _, v := range order[1:9] {
			n += strconv.Itoa(v)
		}
		n += n[8:9] // one digit twice
		p := 10
		for _, c := range n {
			s := (int(c-'0') + p) % 10
			if s == 0 {
				s = 10
			}
			p = s * 2 % 11
		}
		return n + strconv.Itoa((11-p)%10)
	}},
	{"FR", nil, func(d dice) string {
		n := d.of("12", 1) + fmt.Sprintf("%02d%02d%02d", d.between(40, 99), d.between(1, 12), d.between(1, 19)) + d.of(digit, 6)
		v, _ := strconv.ParseInt(n, 10, 64)
		key := fmt.Sprintf("%02d", 97-v%97)
		if d.IntN(2) == 0 {
			return n[:1] + " " + n[1:3] + " " + n[3:5] + " " + n[5:7] + " " + n[7:10] + " " + n[10:13] + " " + key
		}
		return n + key
	}},
	{"ES", nil, func(d dice) string {
		v := d.between(10000000, 99999999)
		return strconv.Itoa(v) + pick(d, []string{"", "-"}) + string("TRWAGMYFPDXBNJZSQVHLCKE"[v%23])
	}},
	{"ES foreigner", nil, func(d dice) string {
		k, v := d.IntN(3), d.between(1000000, 9999999)
		return string("XYZ"[k]) + strconv.Itoa(v) + string("TRWAGMYFPDXBNJZSQVHLCKE"[(k*10000000+v)%23])
	}},
	{"IT", nil, func(d dice) string {
		s := d.of("BCDFGLMNPRST", 6) + fmt.Sprint(d.between(40, 99)) + d.of("ABCDEHLMPRST", 1) + fmt.Sprintf("%02d", d.between(1, 28)) + d.of("ABCDEFGHL", 1) + d.of(digit, 3)
		odd := []int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
		t := 0
		for i, c := range s {
			v := int(c - 'A')
			if c <= '9' {
				v = int(c - '0')
			}
			if i%2 == 0 {
				v = odd[v]
			}
			t += v
		}
		return s + string(rune('A'+t%26))
	}},
	{"NL", []string{"BSN", "burgerservicenummer"}, func(d dice) string {
		return retry(d, func() (string, bool) {
			n := d.of("123456789", 1) + d.of(digit, 7)
			c := sum(n, 9, 8, 7, 6, 5, 4, 3, 2) % 11
			return n + strconv.Itoa(c), c < 10
		})
	}},
	{"PL", []string{"PESEL"}, func(d dice) string {
		n := d.ymd() + d.of(digit, 4)
		return n + strconv.Itoa((10-sum(n, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3)%10)%10)
	}},
	{"BR", nil, func(d dice) string {
		n := d.of(digit, 9)
		n += strconv.Itoa(sum(n, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10)
		n += strconv.Itoa(sum(n, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10)
		return n[:3] + "." + n[3:6] + "." + n[6:9] + "-" + n[9:]
	}},
	{"IN", []string{"Aadhaar"}, func(d dice) string {
		n := d.of("23456789", 1) + d.of(digit, 10)
		return lines(n+verhoeffDigit(n), 4, pick(d, []string{" ", ""}))
	}},
	{"SE", nil, func(d dice) string {
		n := d.ymd() + d.of(digit, 3)
		n += luhnDigit(n)
		return pick(d, []string{"", "19"}) + n[:6] + "-" + n[6:]
	}},
	{"FI", nil, func(d dice) string {
		n := d.dmy() + fmt.Sprintf("%03d", d.between(2, 899))
		v, _ := strconv.Atoi(n)
		return n[:6] + pick(d, []string{"-", "A"}) + n[6:] + string("0123456789ABCDEFHJKLMNPRSTUVWXY"[v%31])
	}},
	{"NO", nil, func(d dice) string {
		return retry(d, func() (string, bool) {
			n := d.dmy() + d.of(digit, 3)
			a := (11 - sum(n, 3, 7, 6, 1, 8, 9, 4, 5, 2)%11) % 11
			if a == 10 {
				return "", false
			}
			n += strconv.Itoa(a)
			b := (11 - sum(n, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11) % 11
			return n + strconv.Itoa(b), b < 10
		})
	}},
	{"DK", []string{"CPR"}, func(d dice) string { return d.dmy() + "-" + d.of(digit, 4) }},
	{"BE", nil, func(d dice) string {
		n := d.ymd() + fmt.Sprintf("%03d", d.between(1, 997))
		v, _ := strconv.Atoi(n)
		return n[:2] + "." + n[2:4] + "." + n[4:6] + "-" + n[6:] + "." + fmt.Sprintf("%02d", 97-v%97)
	}},
	{"PT", []string{"NIF"}, func(d dice) string {
		n := d.of("12", 1) + d.of(digit, 7)
		c := 11 - sum(n, 9, 8, 7, 6, 5, 4, 3, 2)%11
		if c > 9 {
			c = 0
		}
		return n + strconv.Itoa(c)
	}},
	{"CH", nil, func(d dice) string {
		n := "756" + d.of(digit, 9)
		n += strconv.Itoa((10 - sum(n, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3)%10) % 10)
		return n[:3] + "." + n[3:7] + "." + n[7:11] + "." + n[11:]
	}},
	{"CN", nil, func(d dice) string {
		n := "110105" + fmt.Sprintf("19%s", d.ymd()) + d.of(digit, 3)
		return n + string("10X98765432"[sum(n, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11])
	}},
	{"KR", nil, func(d dice) string { return d.ymd() + "-" + d.of("12", 1) + d.of(digit, 6) }},
	{"SG", nil, func(d dice) string {
		n := d.of(digit, 7)
		return "S" + n + string("JZIHGFEDCBA"[sum(n, 2, 7, 6, 5, 4, 3, 2)%11])
	}},
	{"TR", []string{"TC kimlik no", "TCKN"}, func(d dice) string {
		n := d.of("123456789", 1) + d.of(digit, 8)
		odd, even := sum(n, 1, 0, 1, 0, 1, 0, 1, 0, 1), sum(n, 0, 1, 0, 1, 0, 1, 0, 1)
		t := ((odd*7-even)%10 + 10) % 10
		return n + strconv.Itoa(t) + strconv.Itoa((odd+even+t)%10)
	}},
	{"ZA", []string{"South African ID"}, func(d dice) string {
		n := d.ymd() + d.of(digit, 4) + "08"
		return n + luhnDigit(n)
	}},
	{"MX", nil, func(d dice) string {
		s := d.of("BCDFG", 1) + "A" + d.of("LMNPR", 2) + d.ymd() + d.of("HM", 1) + "DF" + d.of("BCDFGLMN", 3) + "0"
		const order = "0123456789ABCDEFGHIJKLMNXOPQRSTUVWXYZ" // the X stands for the letter between N and O
		t := 0
		for i := range s {
			t += strings.LastIndexByte(order, s[i]) * (18 - i)
		}
		return s + strconv.Itoa((10-t%10)%10)
	}},
	{"CL", nil, func(d dice) string {
		n := strconv.Itoa(d.between(10000000, 25999999))
		return n[:2] + "." + n[2:5] + "." + n[5:] + "-" + string("0K987654321"[sum(n, 3, 2, 7, 6, 5, 4, 3, 2)%11])
	}},
	{"AU", []string{"TFN", "tax file number"}, func(d dice) string {
		return retry(d, func() (string, bool) {
			n := d.of("123456789", 1) + d.of(digit, 8)
			return lines(n, 3, " "), sum(n, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0
		})
	}},
	{"TH", nil, func(d dice) string {
		n := d.of("12345678", 1) + d.of(digit, 11)
		n += strconv.Itoa((11 - sum(n, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11) % 10)
		return n[:1] + "-" + n[1:5] + "-" + n[5:10] + "-" + n[10:12] + "-" + n[12:]
	}},
}

// verhoeffDigit is written with tables, as the method was published.
func verhoeffDigit(s string) string {
	mul := []string{"0123456789", "1234067895", "2340178956", "3401289567", "4012395678", "5987604321", "6598710432", "7659821043", "8765932104", "9876543210"}
	perm := []string{"0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258"}
	c := 0
	for i := range s {
		c = int(mul[c][perm[(i+1)%8][s[len(s)-1-i]-'0']-'0'] - '0')
	}
	return string("0432156789"[c])
}
