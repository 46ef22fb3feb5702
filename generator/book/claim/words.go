package claim

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// What sentences say in words. Small numbers are written out in English, and
// mostly in digits in Japanese.

var units = map[string]int64{
	"no": 0, "none": 0, "nothing": 0, "nobody": 0, "zero": 0, "one": 1, "once": 1, "two": 2, "twice": 2, "three": 3, "four": 4,
	"five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
	"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40,
	"fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// none are Japanese words for no thing, nobody and zero.
var none = map[string]bool{"何も": true, "誰も": true, "ゼロ": true}

var scales = map[string]int64{"hundred": 100, "thousand": 1000, "million": 1_000_000}

var kanji = map[rune]int64{'〇': 0, '一': 1, '二': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}

var kanjiScales = map[rune]int64{'十': 10, '百': 100, '千': 1000, '万': 10_000}

// token is a run of Latin letters, of kanji numerals, a word for none, or a number.
var token = regexp.MustCompile(`[A-Za-z]+|何も|誰も|ゼロ|[〇一二三四五六七八九十百千万]+|\d+(?:,\d{3})*(?:\.\d+)?`)

// inDigits writes the numbers of a text in digits.
func inDigits(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= '０' && r <= '９' {
			return r - '０' + '0'
		}
		return r
	}, text)
	var out strings.Builder
	var sum, run int64 // of the English number that is being read
	counting, end := false, 0
	flush := func() {
		if counting {
			out.WriteString(strconv.FormatInt(sum+run, 10))
		}
		sum, run, counting = 0, 0, false
	}
	for _, at := range token.FindAllStringIndex(text, -1) {
		word := strings.ToLower(text[at[0]:at[1]])
		between := text[end:at[0]]
		unit, isUnit := units[word]
		scale, isScale := scales[word]
		joins := counting && (between == " " || between == "-") && (isScale || isUnit && unit > 0 &&
			(run == 0 && sum > 0 || run > 0 && run%100 == 0 || run%100 >= 20 && run%10 == 0 && unit < 10))
		if !joins {
			flush()
			out.WriteString(between)
		}
		switch {
		case isUnit:
			run, counting = run+unit, true
		case isScale && counting:
			if sum > math.MaxInt32 || run > math.MaxInt32 {
				continue // more than anything that is counted here
			}
			if run *= scale; scale > 100 {
				sum, run = sum+run, 0
			}
		case unicode.IsDigit(rune(word[0])):
			out.WriteString(strings.ReplaceAll(word, ",", ""))
		case none[word]:
			out.WriteByte('0')
		case word[0] < 0x80:
			out.WriteString(text[at[0]:at[1]])
		default:
			out.WriteString(strconv.FormatInt(ofKanji(word), 10))
		}
		end = at[1]
	}
	flush()
	out.WriteString(text[end:])
	return out.String()
}

func ofKanji(word string) int64 {
	var sum, run, digit int64
	for _, r := range word {
		if scale, ok := kanjiScales[r]; !ok {
			digit = digit*10 + kanji[r]
		} else if scale == 10_000 {
			sum, run, digit = sum+max(1, run+digit)*scale, 0, 0
		} else {
			run, digit = run+max(1, digit)*scale, 0
		}
		if sum > math.MaxInt32 || run > math.MaxInt32 || digit > math.MaxInt32 {
			return math.MaxInt32 // more than anything that is counted here
		}
	}
	return sum + run + digit
}

var plainNumber = regexp.MustCompile(`\d+(?:\.\d+)?`)

// numbersIn are the numbers that a text holds, in digits. One inside of a name
// (node-1, web2, v1.36.3) is part of the name.
func numbersIn(text string) (out []string) {
	text = inDigits(text)
	for _, at := range plainNumber.FindAllStringIndex(text, -1) {
		before := strings.TrimRight(text[:at[0]], "0123456789.")
		if before == text[:at[0]] && !inName(before) {
			out = append(out, text[at[0]:at[1]])
		}
	}
	return out
}

// inName tells that what comes next belongs to a word of Latin letters.
func inName(before string) bool {
	if before == "" {
		return false
	}
	last := before[len(before)-1]
	if last == '-' || last == '_' || last == '/' || last == '.' {
		return len(before) > 1 && before[len(before)-2] != ' '
	}
	return last >= 'a' && last <= 'z' || last >= 'A' && last <= 'Z'
}

var amount = regexp.MustCompile(`(\d+)(?:\.(\d+))?[ -]?([A-Za-zµμ]+|ミリ秒|マイクロ秒|秒|分|時間)`)

var timeUnits = map[string]time.Duration{
	"µs": time.Microsecond, "μs": time.Microsecond, "us": time.Microsecond, "microsecond": time.Microsecond, "microseconds": time.Microsecond,
	"マイクロ秒": time.Microsecond,
	"ms":    time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond, "ミリ秒": time.Millisecond,
	"s": time.Second, "sec": time.Second, "second": time.Second, "seconds": time.Second, "秒": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute, "分": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour, "時間": time.Hour,
}

// durationIn is the time that a text says, and the smallest unit that it says it
// in: "1.5 s" is exact to a tenth of a second.
func durationIn(text string) (took, exact time.Duration, ok bool) {
	for _, m := range amount.FindAllStringSubmatch(inDigits(text), -1) {
		unit, known := timeUnits[m[3]]
		whole, err := strconv.ParseInt(m[1], 10, 32)
		if !known || err != nil || len(m[2]) > 9 {
			return 0, 0, false
		}
		took += time.Duration(whole) * unit
		exact = unit
		for _, digit := range m[2] {
			if exact /= 10; exact == 0 {
				return 0, 0, false
			}
			took += time.Duration(digit-'0') * exact
		}
		ok = true
	}
	return took, exact, ok
}
