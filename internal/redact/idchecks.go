package redact

import "strings"

// idChecks are the validators of ids that states give. Each gets the id's
// letters, in upper case, and digits.
var idChecks = map[string]func([]byte) bool{
	"none":              func([]byte) bool { return true },
	"luhn":              luhn,
	"us_ssn":            usSSN,
	"us_itin":           usITIN,
	"gb_nino":           gbNINO,
	"gb_nhs":            func(d []byte) bool { return remainder11(d, 10, 9, 8, 7, 6, 5, 4, 3, 2) },
	"de_steuer_id":      deSteuerID,
	"de_pension":        dePension,
	"mod11_10":          mod11and10,
	"fr_nir":            frNIR,
	"es_dni":            esDNI,
	"it_codice_fiscale": itCodiceFiscale,
	"nl_bsn":            func(d []byte) bool { return weighted(d, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0 },
	"pl_pesel": func(d []byte) bool {
		return dateIn(d, 0, 2, 4, true) && weighted(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0
	},
	"pl_pesel_likely":     plPESELLikely,
	"br_cpf":              brCPF,
	"in_aadhaar":          verhoeff,
	"se_personnummer":     func(d []byte) bool { return sePersonnummer(d, false) },
	"se_personnummer_any": func(d []byte) bool { return sePersonnummer(d, true) },
	"no_fodselsnummer":    noFodselsnummer,
	"date_dmy":            func(d []byte) bool { return dateIn(d, 4, 2, 0, false) },
	"date_ymd":            func(d []byte) bool { return dateIn(d, 0, 2, 4, false) },
	"fi_hetu":             fiHetu,
	"be_national":         beNational,
	"pt_nif":              func(d []byte) bool { return remainder11(d, 9, 8, 7, 6, 5, 4, 3, 2) },
	"ie_pps":              iePPS,
	"ean":                 func(d []byte) bool { return weighted(d, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0 },
	"at_svnr":             func(d []byte) bool { return weighted(d, 3, 7, 9, 0, 5, 8, 4, 2, 1, 6)%11 == number(d[3:4]) },
	"cz_rodne_cislo":      czRodneCislo,
	"ro_cnp": func(d []byte) bool {
		return dateIn(d[1:], 0, 2, 4, false) && weighted(d, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)%11%10 == number(d[12:])
	},
	"bg_egn":       func(d []byte) bool { return weighted(d, 2, 4, 8, 5, 10, 9, 7, 3, 6)%11%10 == number(d[9:]) },
	"emso":         func(d []byte) bool { return remainder11(d, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) },
	"ee_isikukood": eeIsikukood,
	"gr_amka":      func(d []byte) bool { return dateIn(d, 4, 2, 0, false) && luhn(d) },
	"tr_tckn":      trTCKN,
	"za_id":        func(d []byte) bool { return dateIn(d, 0, 2, 4, false) && luhn(d) },
	"jp_my_number": jpMyNumber,
	"cn_resident":  cnResident,
	"sg_nric":      sgNRIC,
	"tw_id":        twID,
	"th_id": func(d []byte) bool {
		return (11-weighted(d, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11)%10 == number(d[12:])
	},
	"id_nik":      func(d []byte) bool { day := number(d[6:8]); return (day%40 >= 1 && day%40 <= 31) && month(d[8:10]) },
	"au_tfn":      func(d []byte) bool { return weighted(d, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0 },
	"au_medicare": func(d []byte) bool { return weighted(d, 1, 3, 7, 9, 1, 3, 7, 9)%10 == number(d[8:9]) },
	"nz_ird":      nzIRD,
	"mx_curp":     mxCURP,
	"ar_cuil":     func(d []byte) bool { return remainder11(d, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) },
	"cl_rut":      clRUT,
	"ru_snils":    ruSNILS,
	"ru_inn":      ruINN,
	"ua_rnokpp":   func(d []byte) bool { return weighted(d, -1, 5, 7, 9, 4, 6, 10, 5, 7)%11%10 == number(d[9:]) },
}

// weighted sums the digits times their weights.
func weighted(d []byte, weights ...int) (sum int) {
	for i, w := range weights {
		sum += w * int(d[i]-'0')
	}
	return sum
}

// remainder11 reports whether the digit behind the weighted ones is 11 minus the
// remainder of their sum, 10 and 11 counting as 0.
func remainder11(d []byte, weights ...int) bool {
	check := (11 - weighted(d, weights...)%11) % 11
	return check%10 == number(d[len(weights):len(weights)+1]) && (check < 10 || d[len(weights)] == '0')
}

func number(d []byte) (n int) {
	for _, c := range d {
		n = n*10 + int(c-'0')
	}
	return n
}

func month(d []byte) bool { m := number(d); return m >= 1 && m <= 12 }

// dateIn reports whether two digits each at the given places are a month and a
// day. With centuries, months count on by 20 a century.
func dateIn(d []byte, _, m, day int, centuries bool) bool {
	mm, dd := number(d[m:m+2]), number(d[day:day+2])
	if centuries {
		mm %= 20
	}
	return mm >= 1 && mm <= 12 && dd >= 1 && dd <= 31
}

func usSSN(d []byte) bool {
	area, group, serial := number(d[:3]), number(d[3:5]), number(d[5:])
	return area != 0 && area != 666 && area < 900 && group != 0 && serial != 0
}

func usITIN(d []byte) bool {
	g := number(d[3:5])
	return g >= 50 && g <= 65 || g >= 70 && g <= 88 || g >= 90 && g <= 92 || g >= 94
}

func gbNINO(d []byte) bool {
	switch string(d[:2]) {
	case "BG", "GB", "KN", "NK", "NT", "TN", "ZZ":
		return false
	}
	return true
}

// mod11and10 is ISO 7064 MOD 11,10.
func mod11and10(d []byte) bool {
	product := 10
	for _, c := range d[:len(d)-1] {
		sum := (int(c-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return (11-product)%10 == int(d[len(d)-1]-'0')
}

// deSteuerID wants, beside the check digit, one digit two or three times among
// the first ten and no other more than once.
func deSteuerID(d []byte) bool {
	var seen [10]int
	for _, c := range d[:10] {
		seen[c-'0']++
	}
	repeated := 0
	for _, n := range seen {
		if n > 3 {
			return false
		}
		if n > 1 {
			repeated++
		}
	}
	return repeated == 1 && mod11and10(d)
}

func dePension(d []byte) bool {
	if day := number(d[2:4]); day < 1 || day > 31 || !month(d[4:6]) {
		return false
	}
	letter := int(d[8]-'A') + 1
	digits := [12]int{}
	for i, c := range d[:8] {
		digits[i] = int(c - '0')
	}
	digits[8], digits[9] = letter/10, letter%10
	digits[10], digits[11] = int(d[9]-'0'), int(d[10]-'0')
	sum := 0
	for i, w := range [12]int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
		sum += digits[i]*w/10 + digits[i]*w%10
	}
	return sum%10 == int(d[11]-'0')
}

func frNIR(d []byte) bool {
	if m := number(d[3:5]); m < 1 || m > 12 && m < 20 || m > 42 && m < 50 {
		return false
	}
	var n [15]byte
	copy(n[:], d)
	minus := 0
	switch n[6] { // Corsica
	case 'A':
		n[6], minus = '0', 1000000
	case 'B':
		n[6], minus = '0', 2000000
	}
	if n[6] > '9' {
		return false
	}
	return 97-(number(n[:13])-minus)%97 == number(n[13:])
}

func esDNI(d []byte) bool {
	n := 0
	if d[0] >= 'X' {
		n = int(d[0]-'X')*10000000 + number(d[1:8])
	} else {
		n = number(d[:8])
	}
	return d[8] == "TRWAGMYFPDXBNJZSQVHLCKE"[n%23]
}

func itCodiceFiscale(d []byte) bool {
	odd := [36]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	sum := 0
	for i, c := range d[:15] {
		v := base36(c)
		if i%2 == 0 {
			sum += odd[v]
		} else if v > 9 {
			sum += v - 10
		} else {
			sum += v
		}
	}
	return d[15] == byte('A'+sum%26)
}

func base36(c byte) int {
	if isDigit(c) {
		return int(c - '0')
	}
	return int(c-'A') + 10
}

func plPESEL(d []byte) bool {
	return dateIn(d, 0, 2, 4, true) && weighted(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0
}

// plPESELLikely is for a number of which nothing was said: born 1920 to 2029.
func plPESELLikely(d []byte) bool {
	month := number(d[2:4])
	born := month >= 1 && month <= 12 && d[0] >= '2' || month >= 21 && month <= 32 && d[0] <= '2'
	return born && plPESEL(d)
}

func brCPF(d []byte) bool {
	first := weighted(d, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	second := weighted(d, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	return first == number(d[9:10]) && second == number(d[10:])
}

// verhoeff is the check of the dihedral group of the pentagon.
func verhoeff(d []byte) bool {
	c := 0
	for i := range d {
		v := int(d[len(d)-1-i] - '0')
		for range i % 8 {
			v = int("1576283094"[v] - '0')
		}
		c = dihedral(c, v)
	}
	return c == 0
}

// dihedral multiplies two elements of the symmetries of a pentagon: 0 to 4 are
// turns, 5 to 9 are flips.
func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return (a+b-5)%5 + 5
	case b < 5:
		return (a-5-b+5)%5 + 5
	}
	return (a - b + 5) % 5
}

// sePersonnummer looks at the last ten digits; the day of a coordination number
// counts 60 more. Unless it was said what the number is, it must not look like
// the time of something recent.
func sePersonnummer(d []byte, said bool) bool {
	if len(d) != 10 && len(d) != 12 {
		return false
	}
	if !said && len(d) == 12 && (number(d[:4]) < 1900 || number(d[:4]) > 2015) || !said && len(d) == 10 && d[0] == '2' {
		return false
	}
	d = d[len(d)-10:]
	day := number(d[4:6]) % 60
	return month(d[2:4]) && day >= 1 && day <= 31 && luhn(d)
}

func noFodselsnummer(d []byte) bool {
	day := number(d[:2]) % 40
	if day < 1 || day > 31 || number(d[2:4])%40 < 1 || number(d[2:4])%40 > 12 {
		return false
	}
	return weighted(d, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 && weighted(d, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

// fiHetu has its century sign dropped if that was a dash or plus.
func fiHetu(d []byte) bool {
	if !dateIn(d, 4, 2, 0, false) {
		return false
	}
	tail := d[len(d)-4:]
	n := number(d[:6])*1000 + number(tail[:3])
	return tail[3] == "0123456789ABCDEFHJKLMNPRSTUVWXY"[n%31]
}

func beNational(d []byte) bool {
	if number(d[2:4])%20 > 12 || number(d[4:6]) > 31 {
		return false
	}
	n, check := number(d[:9]), number(d[9:])
	return 97-n%97 == check || 97-(2000000000+n)%97 == check
}

func iePPS(d []byte) bool {
	sum := weighted(d, 8, 7, 6, 5, 4, 3, 2)
	if len(d) > 8 && d[8] != 'W' {
		sum += 9 * int(d[8]-'A'+1)
	}
	return d[7] == "WABCDEFGHIJKLMNOPQRSTUV"[sum%23]
}

func czRodneCislo(d []byte) bool {
	m := number(d[2:4]) % 50 % 20
	if m < 1 || m > 12 || number(d[4:6]) < 1 || number(d[4:6]) > 31 {
		return false
	}
	return number(d)%11 == 0
}

func eeIsikukood(d []byte) bool {
	if !dateIn(d[1:], 0, 2, 4, false) {
		return false
	}
	sum := weighted(d, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1) % 11
	if sum == 10 {
		sum = weighted(d, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3) % 11 % 10
	}
	return sum == number(d[10:])
}

func trTCKN(d []byte) bool {
	odd, even := weighted(d, 1, 0, 1, 0, 1, 0, 1, 0, 1), weighted(d, 0, 1, 0, 1, 0, 1, 0, 1)
	tenth := ((odd*7-even)%10 + 10) % 10
	return tenth == number(d[9:10]) && (odd+even+tenth)%10 == number(d[10:])
}

func jpMyNumber(d []byte) bool {
	rest := weighted(d, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11
	if rest <= 1 {
		return d[11] == '0'
	}
	return 11-rest == number(d[11:])
}

func cnResident(d []byte) bool {
	if year := number(d[6:10]); year < 1900 || year > 2030 || !month(d[10:12]) || number(d[12:14]) < 1 || number(d[12:14]) > 31 {
		return false
	}
	return d[17] == "10X98765432"[weighted(d, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11]
}

func sgNRIC(d []byte) bool {
	sum := weighted(d[1:], 2, 7, 6, 5, 4, 3, 2)
	if d[0] == 'T' || d[0] == 'G' {
		sum += 4
	}
	if d[0] == 'S' || d[0] == 'T' {
		return d[8] == "JZIHGFEDCBA"[sum%11]
	}
	return d[8] == "XWUTRQPNMLK"[sum%11]
}

func twID(d []byte) bool {
	n := strings.IndexByte("ABCDEFGHJKLMNPQRSTUVXYWZIO", d[0]) + 10
	return (n/10+n%10*9+weighted(d[1:], 8, 7, 6, 5, 4, 3, 2, 1, 1))%10 == 0
}

func nzIRD(d []byte) bool {
	var n [9]byte
	copy(n[:], "000000000")
	copy(n[9-len(d):], d)
	if v := number(n[:]); v < 10000000 || v > 150000000 {
		return false
	}
	sum := weighted(n[:], 3, 2, 7, 6, 5, 4, 3, 2) % 11
	if sum != 0 {
		sum = 11 - sum
	}
	if sum == 10 {
		if sum = weighted(n[:], 7, 4, 3, 2, 5, 2, 7, 6) % 11; sum != 0 {
			sum = 11 - sum
		}
	}
	return sum == number(n[8:])
}

func mxCURP(d []byte) bool {
	if !dateIn(d[4:], 0, 2, 4, false) {
		return false
	}
	sum := 0
	for i, c := range d[:17] {
		v := base36(c)
		if c > 'N' {
			v++ // Ñ has a place of its own
		}
		sum += v * (18 - i)
	}
	return (10-sum%10)%10 == number(d[17:])
}

func clRUT(d []byte) bool {
	sum, w := 0, 2
	for i := len(d) - 2; i >= 0; i-- {
		if !isDigit(d[i]) {
			return false
		}
		sum += w * int(d[i]-'0')
		if w++; w > 7 {
			w = 2
		}
	}
	return d[len(d)-1] == "0K987654321"[sum%11]
}

func ruSNILS(d []byte) bool {
	sum := weighted(d, 9, 8, 7, 6, 5, 4, 3, 2, 1) % 101
	return sum%100 == number(d[9:])
}

func ruINN(d []byte) bool {
	return weighted(d, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == number(d[10:11]) && weighted(d, 3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == number(d[11:])
}
