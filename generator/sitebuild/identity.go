package sitebuild

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kubewalk/generator/book/palette"
	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/markdown"
	"kubewalk/site/pages"
)

// identify gives the site what makes it this book's: colours, icon and sign. What leads to its pages is linked later.
func (b *build) identify(a *pages.Assets) error {
	own, problems := &b.book.Site, problem.List{}
	if accent := own.Theme.Accent; accent != nil && accent.Light != "" && accent.Dark != "" {
		css := palette.CSS(accent.Light, accent.Dark)
		a.Styles = append(a.Styles, b.site.Link("/"+b.tree.PutHashed(headers.Assets+"/colours.css", []byte(css))))
		b.stillStyle += css
		// The theme's icon is of its accent.
		if icon, ok := b.tree.Get(strings.TrimPrefix(a.Icon, b.site.Link("/"))); ok && own.Icon == "" {
			icon = bytes.ReplaceAll(icon, []byte(palette.Default), []byte(accent.Light))
			a.Icon = b.site.Link("/" + b.tree.PutHashed(headers.Assets+"/icon.svg", icon))
		}
	}
	put := func(key, file string, address *string) {
		if file == "" {
			return
		}
		data, err := regularfile.Read(b.options.Content, filepath.Join(b.options.Content, filepath.FromSlash(file)))
		if err != nil {
			cure := "it is looked for beside site.yaml"
			if !errors.Is(err, fs.ErrNotExist) {
				cure = err.Error()
			} else if near := b.besideSite(file); near != "" {
				cure = near
			}
			problems.Add(b.book.At(key, fmt.Sprintf("%s %q is not there", key, file), cure))
			return
		}
		*address = b.site.Link("/" + b.tree.PutHashed(headers.Assets+"/"+key+filepath.Ext(file), data))
	}
	put("icon", own.Icon, &a.Icon)
	put("logo", own.Logo, &b.site.Logo)
	if own.Logo != "" && own.Wordmark != "" {
		problems.Add(b.book.At("wordmark", "there are a logo and a wordmark", "keep one of them: a wordmark stands in place of logo and title"))
	}
	problems.AddError(b.wordmark(own.Wordmark, put))
	b.site.MadeWith, b.site.Home = own.SaysMadeWith(), own.HomeSections()
	return problems.Err()
}

// wordmark is the image of the book's name, with its size. put writes a file of a key of site.yaml.
func (b *build) wordmark(file string, put func(key, file string, address *string)) error {
	b.site.Wordmark = nil
	if file == "" {
		return nil
	}
	files, classes := []string{file}, []string{"wordmark"}
	if dark := markdown.DarkName(file); !strings.Contains(file, ".dark.") {
		if _, err := os.Stat(filepath.Join(b.options.Content, filepath.FromSlash(dark))); err == nil {
			files, classes = append(files, dark), []string{"wordmark on-light", "wordmark on-dark"}
		}
	}
	for i, file := range files {
		mark := pages.Wordmark{Class: classes[i]}
		if put("wordmark", file, &mark.URL); mark.URL == "" {
			return nil // which has been told
		}
		full := filepath.Join(b.options.Content, filepath.FromSlash(file))
		data, err := regularfile.Read(b.options.Content, full)
		if err != nil {
			return err
		}
		made, err := b.cache.pictures.Make(filepath.ToSlash(full), data)
		if err != nil {
			return err
		}
		if made.Width < made.Height*3/2 {
			return b.book.At("wordmark", fmt.Sprintf("wordmark %q is %d × %d: too narrow for a name", file, made.Width, made.Height),
				"cut off what is empty around the name, or write logo: for a sign")
		}
		mark.Width = (made.Width*pages.WordmarkHeight + made.Height/2) / made.Height
		b.site.Wordmark = append(b.site.Wordmark, mark)
	}
	return nil
}

// accent is the book's own colour on light pages; "" for the theme's.
func (b *build) accent() string {
	if a := b.book.Site.Theme.Accent; a != nil {
		return a.Light
	}
	return ""
}

// besideSite is a cure that names the file beside site.yaml that was probably meant.
func (b *build) besideSite(file string) string {
	entries, err := os.ReadDir(b.options.Content)
	if err != nil {
		return ""
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	if problem.Nearest(file, names) == "" {
		return ""
	}
	return problem.DidYouMean(file, names)
}
