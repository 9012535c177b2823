package redact

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"

	"gopkg.in/yaml.v3"
)

const numberFile = "numbers.yaml"

// numberTables are rules/numbers.yaml.
type numberTables struct {
	Issuers  []issuer       `yaml:"issuers"`
	IBAN     map[string]int `yaml:"iban"`
	Phone    phonePlan      `yaml:"phone"`
	Common   []string       `yaml:"common"`
	National []nationalForm `yaml:"national"`

	common      *wordList
	cardLengths [10000]uint32 // by first digits, one bit a length
	ibanLength  map[[2]byte]int
	national    [maxLead + 1][maxFirst][]*nationalForm // by letters and first run of digits
}

// tables are the number tables of the binary. Compile has loaded them before a
// rule asks.
func tables() *numberTables {
	t, err := loadNumberTables()
	if err != nil {
		panic(err)
	}
	return t
}

var loadNumberTables = sync.OnceValues(func() (*numberTables, error) {
	b, err := ruleFiles.ReadFile("rules/" + numberFile)
	if err != nil {
		return nil, err
	}
	t := &numberTables{ibanLength: map[[2]byte]int{}}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(t); err != nil {
		return nil, fmt.Errorf("rules/%s: %w", numberFile, err)
	}
	for country, n := range t.IBAN {
		t.ibanLength[[2]byte{country[0], country[1]}] = n
	}
	for _, is := range t.Issuers {
		is.spread(&t.cardLengths)
	}
	for code, size := range t.Phone.Codes {
		n, err := strconv.Atoi(code)
		if err != nil || len(size) != 2 || n >= len(t.Phone.size) {
			return nil, fmt.Errorf("rules/%s: phone.codes %q must be a country code with two lengths", numberFile, code)
		}
		t.Phone.size[n] = [2]uint8{uint8(size[0]), uint8(size[1])}
	}
	for _, n := range t.Phone.Others {
		t.Phone.size[n] = [2]uint8{8, 15}
	}
	t.common, t.Phone.words, t.Phone.weak = newWordList(t.Common), newWordList(t.Phone.Words), newWordList(t.Phone.Weak)
	for i := range t.National {
		if err := t.addNational(&t.National[i]); err != nil {
			return nil, fmt.Errorf("rules/%s: %s: %w", numberFile, t.National[i].Name, err)
		}
	}
	return t, nil
})
