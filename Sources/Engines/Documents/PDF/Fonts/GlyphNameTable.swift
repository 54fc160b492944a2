extension GlyphNames {
    /// The usual names and the scalars they stand for, in hexadecimal: facts of the Adobe Glyph List, and the names of
    /// TeX's fonts.
    static let table = """
        A 41 AE C6 AEacute 1FC AEmacron 1E2 Aacute C1 Abreve 102 Abreveacute 1EAE Abrevedotbelow 1EB6 Abrevegrave 1EB0
        Abrevehookabove 1EB2 Abrevetilde 1EB4 Acaron 1CD Acircumflex C2 Acircumflexacute 1EA4 Acircumflexdotbelow 1EAC
        Acircumflexgrave 1EA6 Acircumflexhookabove 1EA8 Acircumflextilde 1EAA Adblgrave 200 Adieresis C4
        Adieresismacron 1DE Adotbelow 1EA0 Adotmacron 1E0 Agrave C0 Ahookabove 1EA2 Ainvertedbreve 202 Alpha 391
        Alphatonos 386 Amacron 100 Aogonek 104 Aring C5 Aringacute 1FA Aringbelow 1E00 Atilde C3 B 42 Bdotaccent 1E02
        Bdotbelow 1E04 Beta 392 Bhook 181 Blinebelow 1E06 Btopbar 182 C 43 Cacute 106 Ccaron 10C Ccedilla C7
        Ccedillaacute 1E08 Ccircumflex 108 Cdot 10A Cdotaccent 10A Chi 3A7 Chook 187 D 44 DZ 1F1 DZcaron 1C4
        Dafrican 189 Dcaron 10E Dcedilla 1E10 Dcircumflexbelow 1E12 Dcroat 110 Ddotaccent 1E0A Ddotbelow 1E0C
        Deicoptic 3EE Delta 394 Deltagreek 394 Dhook 18A Digammagreek 3DC Dlinebelow 1E0E Dslash 110 Dtopbar 18B
        Dz 1F2 Dzcaron 1C5 E 45 Eacute C9 Ebreve 114 Ecaron 11A Ecedillabreve 1E1C Ecircumflex CA
        Ecircumflexacute 1EBE Ecircumflexbelow 1E18 Ecircumflexdotbelow 1EC6 Ecircumflexgrave 1EC0
        Ecircumflexhookabove 1EC2 Ecircumflextilde 1EC4 Edblgrave 204 Edieresis CB Edot 116 Edotaccent 116
        Edotbelow 1EB8 Egrave C8 Ehookabove 1EBA Eightroman 2167 Einvertedbreve 206 Elevenroman 216A Emacron 112
        Emacronacute 1E16 Emacrongrave 1E14 Eng 14A Eogonek 118 Eopen 190 Epsilon 395 Epsilontonos 388 Ereversed 18E
        Esh 1A9 Eta 397 Etatonos 389 Eth D0 Etilde 1EBC Etildebelow 1E1A Euro 20AC Ezh 1B7 Ezhcaron 1EE
        Ezhreversed 1B8 F 46 Fdotaccent 1E1E Feicoptic 3E4 Fhook 191 Fiveroman 2164 Fourroman 2163 G 47 Gacute 1F4
        Gamma 393 Gammaafrican 194 Gangiacoptic 3EA Gbreve 11E Gcaron 1E6 Gcedilla 122 Gcircumflex 11C
        Gcommaaccent 122 Gdot 120 Gdotaccent 120 Ghook 193 Gmacron 1E20 Gsmallhook 29B Gstroke 1E4 H 48 H18533 25CF
        H18543 25AA H18551 25AB H22073 25A1 Hbar 126 Hbrevebelow 1E2A Hcedilla 1E28 Hcircumflex 124 Hdieresis 1E26
        Hdotaccent 1E22 Hdotbelow 1E24 Horicoptic 3E8 I 49 IJ 132 Iacute CD Ibreve 12C Icaron 1CF Icircumflex CE
        Idblgrave 208 Idieresis CF Idieresisacute 1E2E Idot 130 Idotaccent 130 Idotbelow 1ECA Ifractur 2111
        Ifraktur 2111 Igrave CC Ihookabove 1EC8 Iinvertedbreve 20A Imacron 12A Iogonek 12E Iota 399 Iotaafrican 196
        Iotadieresis 3AA Iotatonos 38A Istroke 197 Itilde 128 Itildebelow 1E2C J 4A Jcircumflex 134 K 4B Kacute 1E30
        Kappa 39A Kcaron 1E8 Kcedilla 136 Kcommaaccent 136 Kdotbelow 1E32 Kheicoptic 3E6 Khook 198 Klinebelow 1E34
        Koppagreek 3DE L 4C LJ 1C7 Lacute 139 Lambda 39B Lcaron 13D Lcedilla 13B Lcircumflexbelow 1E3C
        Lcommaaccent 13B Ldot 13F Ldotaccent 13F Ldotbelow 1E36 Ldotbelowmacron 1E38 Lj 1C8 Llinebelow 1E3A Lslash 141
        M 4D Macute 1E3E Mdotaccent 1E40 Mdotbelow 1E42 Mturned 19C Mu 39C N 4E NJ 1CA Nacute 143 Ncaron 147
        Ncedilla 145 Ncircumflexbelow 1E4A Ncommaaccent 145 Ndotaccent 1E44 Ndotbelow 1E46 Ng 14A Nhookleft 19D
        Nineroman 2168 Nj 1CB Nlinebelow 1E48 Ntilde D1 Nu 39D O 4F OE 152 Oacute D3 Obreve 14E Ocaron 1D1
        Ocenteredtilde 19F Ocircumflex D4 Ocircumflexacute 1ED0 Ocircumflexdotbelow 1ED8 Ocircumflexgrave 1ED2
        Ocircumflexhookabove 1ED4 Ocircumflextilde 1ED6 Odblacute 150 Odblgrave 20C Odieresis D6 Odotbelow 1ECC
        Ograve D2 Ohm 2126 Ohookabove 1ECE Ohorn 1A0 Ohornacute 1EDA Ohorndotbelow 1EE2 Ohorngrave 1EDC
        Ohornhookabove 1EDE Ohorntilde 1EE0 Ohungarumlaut 150 Oi 1A2 Oinvertedbreve 20E Omacron 14C Omacronacute 1E52
        Omacrongrave 1E50 Omega 3A9 Omegagreek 3A9 Omegatonos 38F Omicron 39F Omicrontonos 38C Oneroman 2160
        Oogonek 1EA Oogonekmacron 1EC Oopen 186 Oslash D8 Oslashacute 1FE Ostrokeacute 1FE Otilde D5 Otildeacute 1E4C
        Otildedieresis 1E4E P 50 Pacute 1E54 Pdotaccent 1E56 Phi 3A6 Phook 1A4 Pi 3A0 Psi 3A8 Q 51 R 52 Racute 154
        Rcaron 158 Rcedilla 156 Rcommaaccent 156 Rdblgrave 210 Rdotaccent 1E58 Rdotbelow 1E5A Rdotbelowmacron 1E5C
        Rfractur 211C Rfraktur 211C Rho 3A1 Rinvertedbreve 212 Rlinebelow 1E5E Rsmallinverted 281
        Rsmallinvertedsuperior 2B6 S 53 Sacute 15A Sacutedotaccent 1E64 Sampigreek 3E0 Scaron 160 Scarondotaccent 1E66
        Scedilla 15E Schwa 18F Scircumflex 15C Scommaaccent 218 Sdotaccent 1E60 Sdotbelow 1E62 Sdotbelowdotaccent 1E68
        Sevenroman 2166 Sheicoptic 3E2 Shimacoptic 3EC Sigma 3A3 Sixroman 2165 Stigmagreek 3DA T 54 Tau 3A4 Tbar 166
        Tcaron 164 Tcedilla 162 Tcircumflexbelow 1E70 Tcommaaccent 162 Tdotaccent 1E6A Tdotbelow 1E6C Tenroman 2169
        Theta 398 Thook 1AC Thorn DE Threeroman 2162 Tlinebelow 1E6E Tonefive 1BC Tonesix 184 Tonetwo 1A7
        Tretroflexhook 1AE Twelveroman 216B Tworoman 2161 U 55 Uacute DA Ubreve 16C Ucaron 1D3 Ucircumflex DB
        Ucircumflexbelow 1E76 Udblacute 170 Udblgrave 214 Udieresis DC Udieresisacute 1D7 Udieresisbelow 1E72
        Udieresiscaron 1D9 Udieresisgrave 1DB Udieresismacron 1D5 Udotbelow 1EE4 Ugrave D9 Uhookabove 1EE6 Uhorn 1AF
        Uhornacute 1EE8 Uhorndotbelow 1EF0 Uhorngrave 1EEA Uhornhookabove 1EEC Uhorntilde 1EEE Uhungarumlaut 170
        Uinvertedbreve 216 Umacron 16A Umacrondieresis 1E7A Uogonek 172 Upsilon 3A5 Upsilon1 3D2
        Upsilonacutehooksymbolgreek 3D3 Upsilonafrican 1B1 Upsilondieresis 3AB Upsilondieresishooksymbolgreek 3D4
        Upsilonhooksymbol 3D2 Upsilontonos 38E Uring 16E Utilde 168 Utildeacute 1E78 Utildebelow 1E74 V 56
        Vdotbelow 1E7E Vhook 1B2 Vtilde 1E7C W 57 Wacute 1E82 Wcircumflex 174 Wdieresis 1E84 Wdotaccent 1E86
        Wdotbelow 1E88 Wgrave 1E80 X 58 Xdieresis 1E8C Xdotaccent 1E8A Xi 39E Y 59 Yacute DD Ycircumflex 176
        Ydieresis 178 Ydotaccent 1E8E Ydotbelow 1EF4 Ygrave 1EF2 Yhook 1B3 Yhookabove 1EF6 Ytilde 1EF8 Z 5A Zacute 179
        Zcaron 17D Zcircumflex 1E90 Zdot 17B Zdotaccent 17B Zdotbelow 1E92 Zeta 396 Zlinebelow 1E94 Zstroke 1B5 a 61
        aacute E1 abreve 103 abreveacute 1EAF abrevedotbelow 1EB7 abrevegrave 1EB1 abrevehookabove 1EB3
        abrevetilde 1EB5 acaron 1CE acircumflex E2 acircumflexacute 1EA5 acircumflexdotbelow 1EAD
        acircumflexgrave 1EA7 acircumflexhookabove 1EA9 acircumflextilde 1EAB acute B4 acutebelowcmb 317 acutecmb 301
        acutecomb 301 acutelowmod 2CF acutetonecmb 341 adblgrave 201 adieresis E4 adieresismacron 1DF adotbelow 1EA1
        adotmacron 1E1 ae E6 aeacute 1FD aemacron 1E3 afii00208 2015 afii08941 20A4 afii10017 410 afii10018 411
        afii10019 412 afii10020 413 afii10021 414 afii10022 415 afii10023 401 afii10024 416 afii10025 417
        afii10026 418 afii10027 419 afii10028 41A afii10029 41B afii10030 41C afii10031 41D afii10032 41E
        afii10033 41F afii10034 420 afii10035 421 afii10036 422 afii10037 423 afii10038 424 afii10039 425
        afii10040 426 afii10041 427 afii10042 428 afii10043 429 afii10044 42A afii10045 42B afii10046 42C
        afii10047 42D afii10048 42E afii10049 42F afii10050 490 afii10051 402 afii10052 403 afii10053 404
        afii10054 405 afii10055 406 afii10056 407 afii10057 408 afii10058 409 afii10059 40A afii10060 40B
        afii10061 40C afii10062 40E afii10065 430 afii10066 431 afii10067 432 afii10068 433 afii10069 434
        afii10070 435 afii10071 451 afii10072 436 afii10073 437 afii10074 438 afii10075 439 afii10076 43A
        afii10077 43B afii10078 43C afii10079 43D afii10080 43E afii10081 43F afii10082 440 afii10083 441
        afii10084 442 afii10085 443 afii10086 444 afii10087 445 afii10088 446 afii10089 447 afii10090 448
        afii10091 449 afii10092 44A afii10093 44B afii10094 44C afii10095 44D afii10096 44E afii10097 44F
        afii10098 491 afii10099 452 afii10100 453 afii10101 454 afii10102 455 afii10103 456 afii10104 457
        afii10105 458 afii10106 459 afii10107 45A afii10108 45B afii10109 45C afii10110 45E afii10145 40F
        afii10146 462 afii10147 472 afii10148 474 afii10193 45F afii10194 463 afii10195 473 afii10196 475
        afii10846 4D9 afii299 200E afii300 200F afii301 200D afii57381 66A afii57388 60C afii57392 660 afii57393 661
        afii57394 662 afii57395 663 afii57396 664 afii57397 665 afii57398 666 afii57399 667 afii57929 2BC
        afii61248 2105 afii61289 2113 afii61352 2116 afii61573 202C afii61574 202D afii61575 202E afii61664 200C
        afii63167 66D afii64937 2BD agrave E0 ahookabove 1EA3 ainvertedbreve 203 alef 5D0 aleph 2135 allequal 224C
        alpha 3B1 alphatonos 3AC amacron 101 ampersand 26 angbracketleft 27E8 angbracketright 27E9 angle 2220
        anglebracketleft 3008 anglebracketright 3009 angleleft 2329 angleright 232A angstrom 212B anoteleia 387
        aogonek 105 aparen 249C apostrophemod 2BC approaches 2250 approxequal 2248 approxequalorimage 2252
        approximatelyequal 2245 arc 2312 arighthalfring 1E9A aring E5 aringacute 1FB aringbelow 1E01 arrowboth 2194
        arrowdashdown 21E3 arrowdashleft 21E0 arrowdashright 21E2 arrowdashup 21E1 arrowdblboth 21D4 arrowdbldown 21D3
        arrowdblleft 21D0 arrowdblright 21D2 arrowdblup 21D1 arrowdown 2193 arrowdownleft 2199 arrowdownright 2198
        arrowdownwhite 21E9 arrowheaddownmod 2C5 arrowheadleftmod 2C2 arrowheadrightmod 2C3 arrowheadupmod 2C4
        arrowleft 2190 arrowleftdbl 21D0 arrowleftdblstroke 21CD arrowleftoverright 21C6 arrowleftwhite 21E6
        arrowright 2192 arrowrightdblstroke 21CF arrowrightheavy 279E arrowrightoverleft 21C4 arrowrightwhite 21E8
        arrowtableft 21E4 arrowtabright 21E5 arrowup 2191 arrowupdn 2195 arrowupdnbse 21A8 arrowupdownbase 21A8
        arrowupleft 2196 arrowupleftofdown 21C5 arrowupright 2197 arrowupwhite 21E7 asciicircum 5E asciitilde 7E
        ascript 251 ascriptturned 252 asterisk 2A asteriskmath 2217 asterisksmall FE61 asterism 2042
        asymptoticallyequal 2243 at 40 atilde E3 atsmall FE6B aturned 250 ayin 5E2 b 62 backslash 5C backslashbig 5C
        bar 7C bardbl 2016 bdotaccent 1E03 bdotbelow 1E05 beamedsixteenthnotes 266C because 2235 bet 5D1 beta 3B2
        betasymbolgreek 3D0 betdagesh FB31 bhook 253 bilabialclick 298 blackdiamond 25C6
        blackdownpointingtriangle 25BC blackleftpointingpointer 25C4 blackleftpointingtriangle 25C0
        blacklenticularbracketleft 3010 blacklenticularbracketright 3011 blacklowerlefttriangle 25E3
        blacklowerrighttriangle 25E2 blackrectangle 25AC blackrightpointingpointer 25BA
        blackrightpointingtriangle 25B6 blacksmilingface 263B blackstar 2605 blackupperlefttriangle 25E4
        blackupperrighttriangle 25E5 blackuppointingsmalltriangle 25B4 blackuppointingtriangle 25B2 blank 2423
        blinebelow 1E07 block 2588 bparen 249D braceleft 7B braceleftBig 7B braceleftbig 7B braceleftbigg 7B
        braceleftsmall FE5B braceright 7D bracerightBig 7D bracerightbig 7D bracerightbigg 7D bracerightsmall FE5C
        bracketleft 5B bracketleftBig 5B bracketleftbig 5B bracketleftbigg 5B bracketright 5D bracketrightBig 5D
        bracketrightbig 5D bracketrightbigg 5D breve 2D8 brevebelowcmb 32E brevecmb 306 breveinvertedbelowcmb 32F
        breveinvertedcmb 311 breveinverteddoublecmb 361 bridgebelowcmb 32A bridgeinvertedbelowcmb 33A brokenbar A6
        bstroke 180 btopbar 183 bullet 2022 bulletinverse 25D8 bulletoperator 2219 bullseye 25CE c 63 cacute 107
        candrabinducmb 310 capslock 21EA careof 2105 caron 2C7 caronbelowcmb 32C caroncmb 30C carriagereturn 21B5
        ccaron 10D ccedilla E7 ccedillaacute 1E09 ccircumflex 109 ccurl 255 cdot 10B cdotaccent 10B cedilla B8
        cedillacmb 327 ceilingleft 2308 ceilingright 2309 cent A2 centigrade 2103 checkmark 2713 chi 3C7 chook 188
        circlecopyrt A9 circledivide 2298 circledot 2299 circleminus 2296 circlemultiply 2297 circleot 2299
        circleplus 2295 circlepostalmark 3036 circlewithlefthalfblack 25D0 circlewithrighthalfblack 25D1
        circumflex 2C6 circumflexbelowcmb 32D circumflexcmb 302 clear 2327 clickalveolar 1C2 clickdental 1C0
        clicklateral 1C1 clickretroflex 1C3 club 2663 clubsuitblack 2663 clubsuitwhite 2667 colon 3A
        colonmonetary 20A1 colonsign 20A1 colonsmall FE55 colontriangularhalfmod 2D1 colontriangularmod 2D0 comma 2C
        commaabovecmb 313 commaaboverightcmb 315 commaaccent 326 commareversedabovecmb 314 commareversedmod 2BD
        commasmall FE50 commaturnedabovecmb 312 commaturnedmod 2BB compass 263C congruent 2245 contourintegral 222E
        control 2303 controlACK 6 controlBEL 7 controlBS 8 controlCAN 18 controlCR D controlDC1 11 controlDC2 12
        controlDC3 13 controlDC4 14 controlDEL 7F controlDLE 10 controlEM 19 controlENQ 5 controlEOT 4 controlESC 1B
        controlETB 17 controlETX 3 controlFF C controlFS 1C controlGS 1D controlHT 9 controlLF A controlNAK 15
        controlRS 1E controlSI F controlSO E controlSOT 2 controlSTX 1 controlSUB 1A controlSYN 16 controlUS 1F
        controlVT B copyright A9 cornerbracketleft 300C cornerbracketright 300D cparen 249E cruzeiro 20A2
        cstretched 297 curlyand 22CF curlyor 22CE currency A4 cwm 200B d 64 dagesh 5BC dagger 2020 daggerdbl 2021
        dalet 5D3 daletdagesh FB33 danda 964 dasiapneumatacyrilliccmb 485 dblanglebracketleft 300A
        dblanglebracketright 300B dblarchinvertedbelowcmb 32B dblarrowleft 21D4 dblarrowright 21D2 dbldanda 965
        dblgravecmb 30F dblintegral 222C dbllowline 2017 dbllowlinecmb 333 dbloverlinecmb 33F dblprimemod 2BA
        dblverticalbar 2016 dblverticallineabovecmb 30E dcaron 10F dcedilla 1E11 dcircumflexbelow 1E13 dcroat 111
        ddotaccent 1E0B ddotbelow 1E0D degree B0 deicoptic 3EF deleteleft 232B deleteright 2326 delta 3B4
        deltaturned 18D dezh 2A4 dhook 257 dialytikatonos 385 dialytikatonoscmb 344 diamond 2666 diamondmath 22C4
        diamondsuitwhite 2662 dieresis A8 dieresisbelowcmb 324 dieresiscmb 308 dieresistonos 385 dittomark 3003
        divide F7 divides 2223 divisionslash 2215 dkshade 2593 dlinebelow 1E0F dmacron 111 dnblock 2584 dollar 24
        dollarsmall FE69 dong 20AB dotaccent 2D9 dotaccentcmb 307 dotbelowcmb 323 dotbelowcomb 323 dotlessi 131
        dotlessj 237 dotlessjstrokehook 284 dotmath 22C5 doubleyodpatah FB1F downtackbelowcmb 31E downtackmod 2D5
        dparen 249F dtail 256 dtopbar 18C dz 1F3 dzaltone 2A3 dzcaron 1C6 dzcurl 2A5 e 65 eacute E9 earth 2641
        ebreve 115 ecaron 11B ecedillabreve 1E1D ecircumflex EA ecircumflexacute 1EBF ecircumflexbelow 1E19
        ecircumflexdotbelow 1EC7 ecircumflexgrave 1EC1 ecircumflexhookabove 1EC3 ecircumflextilde 1EC5 edblgrave 205
        edieresis EB edot 117 edotaccent 117 edotbelow 1EB9 egrave E8 ehookabove 1EBB eight 38
        eightcircleinversesansserif 2791 eighteenparen 2485 eighteenperiod 2499 eighthangzhou 3028
        eighthnotebeamed 266B eightinferior 2088 eightparen 247B eightperiod 248F eightroman 2177 eightsuperior 2078
        einvertedbreve 207 element 2208 elevenparen 247E elevenperiod 2492 elevenroman 217A ellipsis 2026 emacron 113
        emacronacute 1E17 emacrongrave 1E15 emdash 2014 emptyset 2205 endash 2013 eng 14B enspace 2002 eogonek 119
        eopen 25B eopenclosed 29A eopenreversed 25C eopenreversedclosed 25E eopenreversedhook 25D eparen 24A0
        epsilon 3B5 epsilon1 3B5 epsilontonos 3AD equal 3D equalsmall FE66 equalsuperior 207C equivalence 2261
        equivasymptotic 224D ereversed 258 esh 283 eshcurl 286 eshreversedloop 1AA eshsquatreversed 285 estimated 212E
        eta 3B7 etatonos 3AE eth F0 etilde 1EBD etildebelow 1E1B eturned 1DD euro 20AC exclam 21 exclamdbl 203C
        exclamdown A1 existential 2203 ezh 292 ezhcaron 1EF ezhcurl 293 ezhreversed 1B9 ezhtail 1BA f 66
        fahrenheit 2109 fdotaccent 1E1F feicoptic 3E5 female 2640 ff FB00 ffi FB03 ffl FB04 fi FB01 fifteenparen 2482
        fifteenperiod 2496 figuredash 2012 filledbox 25A0 filledrect 25AC finalkaf 5DA finalkafdagesh FB3A
        finalmem 5DD finalnun 5DF finalpe 5E3 finaltsadi 5E5 firsttonechinese 2C9 fisheye 25C9 five 35
        fivecircleinversesansserif 278E fiveeighths 215D fivehangzhou 3025 fiveinferior 2085 fiveparen 2478
        fiveperiod 248C fiveroman 2174 fivesuperior 2075 fl FB02 floorleft 230A floorright 230B florin 192
        follows 227B followsequal 227D forall 2200 four 34 fourcircleinversesansserif 278D fourhangzhou 3024
        fourinferior 2084 fourparen 2477 fourperiod 248B fourroman 2173 foursuperior 2074 fourteenparen 2481
        fourteenperiod 2495 fourthtonechinese 2CB fparen 24A1 fraction 2044 franc 20A3 g 67 gacute 1F5 gamma 3B3
        gammalatinsmall 263 gammasuperior 2E0 gangiacoptic 3EB gbreve 11F gcaron 1E7 gcedilla 123 gcircumflex 11D
        gcommaaccent 123 gdot 121 gdotaccent 121 geometricallyequal 2251 germandbls DF getamark 3013 ghook 260
        gimel 5D2 gimeldagesh FB32 glottalinvertedstroke 1BE glottalstop 294 glottalstopinverted 296
        glottalstopmod 2C0 glottalstopreversed 295 glottalstopreversedmod 2C1 glottalstopreversedsuperior 2E4
        glottalstopstroke 2A1 glottalstopstrokereversed 2A2 gmacron 1E21 gparen 24A2 gradient 2207 grave 60
        gravebelowcmb 316 gravecmb 300 gravecomb 300 gravelowmod 2CE gravetonecmb 340 greater 3E greaterequal 2265
        greaterequalorless 22DB greatermuch 226B greaterorequivalent 2273 greaterorless 2277 greateroverequal 2267
        greatersmall FE65 gscript 261 gstroke 1E5 guillemotleft AB guillemotright BB guilsinglleft 2039
        guilsinglright 203A h 68 harpoonleftbarbup 21BC harpoonrightbarbup 21C0 hatafpatah 5B2 hatafpatah16 5B2
        hatafpatah23 5B2 hatafpatah2f 5B2 hatafqamats 5B3 hatafqamats1b 5B3 hatafqamats28 5B3 hatafqamats34 5B3
        hatafsegol 5B1 hatafsegol17 5B1 hatafsegol24 5B1 hatafsegol30 5B1 hatwide 302 hbar 127 hbrevebelow 1E2B
        hcedilla 1E29 hcircumflex 125 hdieresis 1E27 hdotaccent 1E23 hdotbelow 1E25 he 5D4 heart 2665
        heartsuitblack 2665 heartsuitwhite 2661 hedagesh FB34 henghook 267 het 5D7 hhook 266 hhooksuperior 2B1
        hiriq 5B4 hiriq14 5B4 hiriq21 5B4 hiriq2d 5B4 hlinebelow 1E96 holam 5B9 holam19 5B9 holam26 5B9 holam32 5B9
        horicoptic 3E9 horizontalbar 2015 horncmb 31B hotsprings 2668 house 2302 hparen 24A3 hsuperior 2B0 hturned 265
        hungarumlaut 2DD hungarumlautcmb 30B hv 195 hyphen 2D hyphensmall FE63 hyphentwo 2010 i 69 iacute ED
        ibreve 12D icaron 1D0 icircumflex EE idblgrave 209 idieresis EF idieresisacute 1E2F idotbelow 1ECB igrave EC
        ihookabove 1EC9 iinvertedbreve 20B ij 133 ilde 2DC imacron 12B imageorapproximatelyequal 2253 increment 2206
        infinity 221E integral 222B integralbottom 2321 integralbt 2321 integraldisplay 222B integraltext 222B
        integraltop 2320 integraltp 2320 intersection 2229 intersectionsq 2293 invbullet 25D8 invsmileface 263B
        iogonek 12F iota 3B9 iotadieresis 3CA iotadieresistonos 390 iotalatin 269 iotatonos 3AF iparen 24A4
        istroke 268 itilde 129 itildebelow 1E2D j 6A jcaron 1F0 jcircumflex 135 jcrossedtail 29D jdotlessstroke 25F
        jis 3004 jparen 24A5 jsuperior 2B2 k 6B kacute 1E31 kaf 5DB kafdagesh FB3B kappa 3BA kappasymbolgreek 3F0
        kcaron 1E9 kcedilla 137 kcommaaccent 137 kdotbelow 1E33 kgreenlandic 138 kheicoptic 3E7 khook 199
        klinebelow 1E35 koroniscmb 343 kparen 24A6 kturned 29E l 6C lacute 13A lambda 3BB lambdastroke 19B lamed 5DC
        lameddagesh FB3C latticetop 22A4 lbar 19A lbelt 26C lcaron 13E lcedilla 13C lcircumflexbelow 1E3D
        lcommaaccent 13C ldot 140 ldotaccent 140 ldotbelow 1E37 ldotbelowmacron 1E39 leftangleabovecmb 31A
        lefttackbelowcmb 318 less 3C lessequal 2264 lessequalorgreater 22DA lessmuch 226A lessorequivalent 2272
        lessorgreater 2276 lessoverequal 2266 lesssmall FE64 lezh 26E lfblock 258C lhookretroflex 26D lira 20A4 lj 1C9
        llinebelow 1E3B lmiddletilde 26B logicaland 2227 logicalnot AC logicalnotreversed 2310 logicalor 2228
        longs 17F lowlinecenterline FE4E lowlinecmb 332 lowlinedashed FE4D lozenge 25CA lparen 24A7 lscript 2113
        lslash 142 ltshade 2591 m 6D macron AF macronbelowcmb 331 macroncmb 304 macronlowmod 2CD macute 1E3F male 2642
        mapsto 21A6 mars 2642 mdotaccent 1E41 mdotbelow 1E43 mem 5DE memdagesh FB3E mhook 271 middot B7 minus 2212
        minusbelowcmb 320 minusmod 2D7 minusplus 2213 minute 2032 mlonglegturned 270 mparen 24A8 mturned 26F mu B5
        mu1 B5 muchgreater 226B muchless 226A mugreek 3BC multiply D7 musicalnote 266A musicalnotedbl 266B
        musicflatsign 266D musicsharpsign 266F n 6E nabla 2207 nacute 144 napostrophe 149 nbspace A0 ncaron 148
        ncedilla 146 ncircumflexbelow 1E4B ncommaaccent 146 ndotaccent 1E45 ndotbelow 1E47 negationslash 338
        newsheqelsign 20AA ng 14B nhookleft 272 nhookretroflex 273 nine 39 ninecircleinversesansserif 2792
        ninehangzhou 3029 nineinferior 2089 nineparen 247C nineperiod 2490 nineroman 2178 ninesuperior 2079
        nineteenparen 2486 nineteenperiod 249A nj 1CC nlegrightlong 19E nlinebelow 1E49 nonbreakingspace A0
        notcontains 220C notelement 2209 notelementof 2209 notequal 2260 notgreater 226F notgreaternorequal 2271
        notgreaternorless 2279 notidentical 2262 notless 226E notlessnorequal 2270 notparallel 2226 notprecedes 2280
        notsubset 2284 notsucceeds 2281 notsuperset 2285 nparen 24A9 nsuperior 207F ntilde F1 nu 3BD numbersign 23
        numbersignsmall FE5F numeralsigngreek 374 numeralsignlowergreek 375 numero 2116 nun 5E0 nundagesh FB40 o 6F
        oacute F3 obarred 275 obreve 14F ocaron 1D2 ocircumflex F4 ocircumflexacute 1ED1 ocircumflexdotbelow 1ED9
        ocircumflexgrave 1ED3 ocircumflexhookabove 1ED5 ocircumflextilde 1ED7 odblacute 151 odblgrave 20D odieresis F6
        odotbelow 1ECD oe 153 ogonek 2DB ogonekcmb 328 ograve F2 ohookabove 1ECF ohorn 1A1 ohornacute 1EDB
        ohorndotbelow 1EE3 ohorngrave 1EDD ohornhookabove 1EDF ohorntilde 1EE1 ohungarumlaut 151 oi 1A3
        oinvertedbreve 20F omacron 14D omacronacute 1E53 omacrongrave 1E51 omega 3C9 omega1 3D6 omegalatinclosed 277
        omegatonos 3CE omicron 3BF omicrontonos 3CC one 31 onecircleinversesansserif 278A onedotenleader 2024
        oneeighth 215B onehalf BD onehangzhou 3021 oneinferior 2081 oneparen 2474 oneperiod 2488 onequarter BC
        oneroman 2170 onesuperior B9 onethird 2153 oogonek 1EB oogonekmacron 1ED oopen 254 oparen 24AA openbullet 25E6
        option 2325 ordfeminine AA ordmasculine BA orthogonal 221F oslash F8 oslashacute 1FF ostrokeacute 1FF
        otilde F5 otildeacute 1E4D otildedieresis 1E4F overline 203E overlinecenterline FE4A overlinecmb 305
        overlinedashed FE49 overlinedblwavy FE4C overlinewavy FE4B overscore AF p 70 pacute 1E55 pagedown 21DF
        pageup 21DE palatalizationcyrilliccmb 484 paragraph B6 parallel 2225 parenleft 28 parenleftBig 28
        parenleftBigg 28 parenleftbig 28 parenleftbigg 28 parenleftinferior 208D parenleftsmall FE59
        parenleftsuperior 207D parenright 29 parenrightBig 29 parenrightBigg 29 parenrightbig 29 parenrightbigg 29
        parenrightinferior 208E parenrightsmall FE5A parenrightsuperior 207E partialdiff 2202 patah 5B7 patah11 5B7
        patah1d 5B7 patah2a 5B7 pdotaccent 1E57 pe 5E4 pedagesh FB44 percent 25 percentsmall FE6A period 2E
        periodcentered B7 periodsmall FE52 perispomenigreekcmb 342 perpendicular 22A5 perthousand 2030
        perthousandzero 2030 peseta 20A7 phi 3C6 phi1 3D5 philatin 278 phisymbolgreek 3D5 phook 1A5 pi 3C0
        pisymbolgreek 3D6 plus 2B plusbelowcmb 31F plusminus B1 plusmod 2D6 plussmall FE62 plussuperior 207A
        pointingindexdownwhite 261F pointingindexleftwhite 261C pointingindexrightwhite 261E pointingindexupwhite 261D
        postalmark 3012 postalmarkface 3020 pparen 24AB precedes 227A precedesequal 227C prescription 211E
        primemod 2B9 primereversed 2035 product 220F productdisplay 220F producttext 220F projective 2305
        propellor 2318 propersubset 2282 propersuperset 2283 proportion 2237 proportional 221D psi 3C8
        psilipneumatacyrilliccmb 486 q 71 qamats 5B8 qamats10 5B8 qamats1a 5B8 qamats1c 5B8 qamats27 5B8 qamats29 5B8
        qamats33 5B8 qamatsde 5B8 qhook 2A0 qof 5E7 qofdagesh FB47 qparen 24AC quarternote 2669 qubuts 5BB
        qubuts18 5BB qubuts25 5BB qubuts31 5BB question 3F questiondown BF questiongreek 37E quotedbl 22
        quotedblbase 201E quotedblleft 201C quotedblprime 301E quotedblprimereversed 301D quotedblright 201D
        quoteleft 2018 quoteleftreversed 201B quotereversed 201B quoteright 2019 quoterightn 149 quotesinglbase 201A
        quotesingle 27 r 72 racute 155 radical 221A radicalBig 221A radicalbig 221A radicalbigg 221A rafe 5BF
        ramshorn 264 ratio 2236 rcaron 159 rcedilla 157 rcommaaccent 157 rdblgrave 211 rdotaccent 1E59 rdotbelow 1E5B
        rdotbelowmacron 1E5D referencemark 203B reflexsubset 2286 reflexsuperset 2287 registered AE resh 5E8
        reversedtilde 223D revlogicalnot 2310 rfishhook 27E rfishhookreversed 27F rho 3C1 rho1 3F1 rhook 27D
        rhookturned 27B rhookturnedsuperior 2B5 rhosymbolgreek 3F1 rhotichookmod 2DE rightangle 221F
        righttackbelowcmb 319 righttriangle 22BF ring 2DA ringbelowcmb 325 ringcmb 30A ringhalfleft 2BF
        ringhalfleftbelowcmb 31C ringhalfleftcentered 2D3 ringhalfright 2BE ringhalfrightbelowcmb 339
        ringhalfrightcentered 2D2 rinvertedbreve 213 rlinebelow 1E5F rlongleg 27C rlonglegturned 27A rparen 24AD
        rtblock 2590 rturned 279 rturnedsuperior 2B4 s 73 sacute 15B sacutedotaccent 1E65 samekh 5E1 samekhdagesh FB41
        scaron 161 scarondotaccent 1E67 scedilla 15F schwa 259 schwahook 25A scircumflex 15D scommaaccent 219
        sdotaccent 1E61 sdotbelow 1E63 sdotbelowdotaccent 1E69 seagullbelowcmb 33C second 2033 secondtonechinese 2CA
        section A7 segol 5B6 segol13 5B6 segol1f 5B6 segol2c 5B6 semicolon 3B semicolonsmall FE54 seven 37
        sevencircleinversesansserif 2790 seveneighths 215E sevenhangzhou 3027 seveninferior 2087 sevenparen 247A
        sevenperiod 248E sevenroman 2176 sevensuperior 2077 seventeenparen 2484 seventeenperiod 2498 sfthyphen AD
        shade 2592 shadedark 2593 shadelight 2591 shademedium 2592 sheicoptic 3E3 sheqel 20AA sheva 5B0 sheva115 5B0
        sheva15 5B0 sheva22 5B0 sheva2e 5B0 shimacoptic 3ED shin 5E9 shindagesh FB49 shindageshshindot FB2C
        shindageshsindot FB2D shinshindot FB2A shinsindot FB2B shook 282 sigma 3C3 sigma1 3C2 sigmafinal 3C2
        sigmalunatesymbolgreek 3F2 similar 223C similarequal 2243 six 36 sixcircleinversesansserif 278F
        sixhangzhou 3026 sixinferior 2086 sixparen 2479 sixperiod 248D sixroman 2175 sixsuperior 2076
        sixteenparen 2483 sixteenperiod 2497 slash 2F slashbig 2F slong 17F slongdotaccent 1E9B smileface 263A
        softhyphen AD soliduslongoverlaycmb 338 solidusshortoverlaycmb 337 space 20 spade 2660 spadesuitblack 2660
        spadesuitwhite 2664 sparen 24AE squarebelowcmb 33B squarecc 33C4 squarecm 339D
        squarediagonalcrosshatchfill 25A9 squarehorizontalfill 25A4 squarekg 338F squarekm 339E squarekmcapital 33CE
        squareln 33D1 squarelog 33D2 squaremg 338E squaremil 33D5 squaremm 339C squaremsquared 33A1
        squareorthogonalcrosshatchfill 25A6 squareupperlefttolowerrightfill 25A7 squareupperrighttolowerleftfill 25A8
        squareverticalfill 25A5 squarewhitewithsmallblack 25A3 star 22C6 sterling A3 strokelongoverlaycmb 336
        strokeshortoverlaycmb 335 subset 2282 subsetnotequal 228A subsetorequal 2286 succeeds 227B suchthat 220B
        summation 2211 summationdisplay 2211 summationtext 2211 sun 263C superset 2283 supersetnotequal 228B
        supersetorequal 2287 t 74 tackdown 22A4 tackleft 22A3 tau 3C4 tav 5EA tavdages FB4A tavdagesh FB4A tbar 167
        tcaron 165 tccurl 2A8 tcedilla 163 tcircumflexbelow 1E71 tcommaaccent 163 tdieresis 1E97 tdotaccent 1E6B
        tdotbelow 1E6D telephone 2121 telephoneblack 260E tenparen 247D tenperiod 2491 tenroman 2179 tesh 2A7 tet 5D8
        tetdagesh FB38 thereexists 2203 therefore 2234 theta 3B8 theta1 3D1 thetasymbolgreek 3D1 thirteenparen 2480
        thirteenperiod 2494 thook 1AD thorn FE three 33 threecircleinversesansserif 278C threeeighths 215C
        threehangzhou 3023 threeinferior 2083 threeparen 2476 threeperiod 248A threequarters BE threeroman 2172
        threesuperior B3 tie 2040 tilde 2DC tildebelowcmb 330 tildecmb 303 tildecomb 303 tildedoublecmb 360
        tildeoperator 223C tildeoverlaycmb 334 tildeverticalcmb 33E tildewide 303 titlocyrilliccmb 483 tlinebelow 1E6F
        tonebarextrahighmod 2E5 tonebarextralowmod 2E9 tonebarhighmod 2E6 tonebarlowmod 2E8 tonebarmidmod 2E7
        tonefive 1BD tonesix 185 tonetwo 1A8 tonos 384 tortoiseshellbracketleft 3014
        tortoiseshellbracketleftsmall FE5D tortoiseshellbracketright 3015 tortoiseshellbracketrightsmall FE5E
        tpalatalhook 1AB tparen 24AF trademark 2122 tretroflexhook 288 triagdn 25BC triaglf 25C4 triagrt 25BA
        triagup 25B2 ts 2A6 tsadi 5E6 tsadidagesh FB46 tsere 5B5 tsere12 5B5 tsere1e 5B5 tsere2b 5B5 tturned 287
        turnstileleft 22A2 turnstileright 22A3 twelveparen 247F twelveperiod 2493 twelveroman 217B twentyhangzhou 5344
        twentyparen 2487 twentyperiod 249B two 32 twocircleinversesansserif 278B twodotenleader 2025 twodotleader 2025
        twohangzhou 3022 twoinferior 2082 twoparen 2475 twoperiod 2489 tworoman 2171 twostroke 1BB twosuperior B2
        twothirds 2154 u 75 uacute FA ubar 289 ubreve 16D ucaron 1D4 ucircumflex FB ucircumflexbelow 1E77
        udblacute 171 udblgrave 215 udieresis FC udieresisacute 1D8 udieresisbelow 1E73 udieresiscaron 1DA
        udieresisgrave 1DC udieresismacron 1D6 udotbelow 1EE5 ugrave F9 uhookabove 1EE7 uhorn 1B0 uhornacute 1EE9
        uhorndotbelow 1EF1 uhorngrave 1EEB uhornhookabove 1EED uhorntilde 1EEF uhungarumlaut 171 uinvertedbreve 217
        umacron 16B umacrondieresis 1E7B underscore 5F underscoredbl 2017 underscorewavy FE4F union 222A unionsq 2294
        universal 2200 uogonek 173 uparen 24B0 upblock 2580 upsilon 3C5 upsilondieresis 3CB upsilondieresistonos 3B0
        upsilonlatin 28A upsilontonos 3CD uptackbelowcmb 31D uptackmod 2D4 uring 16F utilde 169 utildeacute 1E79
        utildebelow 1E75 v 76 vav 5D5 vavdagesh FB35 vavdagesh65 FB35 vavholam FB4B vdotbelow 1E7F vector 20D7
        venus 2640 verticalbar 7C verticallineabovecmb 30D verticallinebelowcmb 329 verticallinelowmod 2CC
        verticallinemod 2C8 vhook 28B visiblespace 2423 vparen 24B1 vtilde 1E7D vturned 28C w 77 wacute 1E83
        wavedash 301C wcircumflex 175 wdieresis 1E85 wdotaccent 1E87 wdotbelow 1E89 weierstrass 2118 wgrave 1E81
        whitebullet 25E6 whitecircleinverse 25D9 whitecornerbracketleft 300E whitecornerbracketright 300F
        whitediamond 25C7 whitediamondcontainingblacksmalldiamond 25C8 whitedownpointingsmalltriangle 25BF
        whitedownpointingtriangle 25BD whiteleftpointingsmalltriangle 25C3 whiteleftpointingtriangle 25C1
        whitelenticularbracketleft 3016 whitelenticularbracketright 3017 whiterightpointingsmalltriangle 25B9
        whiterightpointingtriangle 25B7 whitesmilingface 263A whitestar 2606 whitetelephone 260F
        whitetortoiseshellbracketleft 3018 whitetortoiseshellbracketright 3019 whiteuppointingsmalltriangle 25B5
        whiteuppointingtriangle 25B3 won 20A9 wparen 24B2 wring 1E98 wsuperior 2B7 wturned 28D wynn 1BF x 78
        xabovecmb 33D xdieresis 1E8D xdotaccent 1E8B xi 3BE xparen 24B3 xsuperior 2E3 y 79 yacute FD ycircumflex 177
        ydieresis FF ydotaccent 1E8F ydotbelow 1EF5 yen A5 ygrave 1EF3 yhook 1B4 yhookabove 1EF7 yinyang 262F yod 5D9
        yoddagesh FB39 yotgreek 3F3 yparen 24B4 ypogegrammeni 37A ypogegrammenigreekcmb 345 yr 1A6 yring 1E99
        ysuperior 2B8 ytilde 1EF9 yturned 28E z 7A zacute 17A zayin 5D6 zayindagesh FB36 zcaron 17E zcircumflex 1E91
        zcurl 291 zdot 17C zdotaccent 17C zdotbelow 1E93 zero 30 zeroinferior 2080 zerosuperior 2070
        zerowidthjoiner FEFF zerowidthnonjoiner 200C zerowidthspace 200B zeta 3B6 zlinebelow 1E95 zparen 24B5
        zretroflexhook 290 zstroke 1B6
        """
}
