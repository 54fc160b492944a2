/// Texts of every kind on 26 subjects, and 156 questions, of each of which one text is the answer. Written for this test.
///
/// A line begins with what it is: `N` a note, `C` a chat (title | question | answer), `M` a memory, `T` a thread, `G` a goal, `B` a
/// paragraph of a book. `?N` is a question that the note of the same subject answers.
enum FindCollection {
    /// A text or a question.
    struct Line {
        /// The number of the subject, from 0.
        var subject: Int
        /// N, C, M, T, G or B.
        var kind: Character
        var parts: [String]
    }

    static let texts = lines.filter { !$0.isQuestion }.map(\.line)
    static let questions = lines.filter(\.isQuestion).map(\.line)

    private static let lines: [(isQuestion: Bool, line: Line)] = {
        var (lines, subject) = ([(isQuestion: Bool, line: Line)](), -1)
        for text in source.split(separator: "\n") {
            let isQuestion = text.first == "?"
            let rest = isQuestion ? text.dropFirst() : text
            guard let kind = rest.first else { continue }
            if kind == "N", !isQuestion { subject += 1 }
            let parts = rest.dropFirst(2).split(separator: " | ").map(String.init)
            lines.append((isQuestion, Line(subject: subject, kind: kind, parts: parts)))
        }
        return lines
    }()

    private static let source = """
        N Rye sourdough | Feed the rye starter at six in the evening, eighty percent hydration, and bake in a closed pot for forty minutes.
        C Bread that is too sour | Why does my loaf taste of vinegar? | The dough fermented too long in a warm kitchen; shorten the bulk rise to four hours.
        M Lactose gives the person a stomach ache, so milk in dough is replaced by water.
        T Weekend baking | Loaves, rolls and what was learned about crust.
        G Bake every Saturday for a season | One loaf each week, written down with its flour.
        B The miller's wife kept a crock of leaven behind the stove, and no stranger was allowed to stir it.
        ?N how long in the closed pot
        ?C loaf tastes of vinegar
        ?M stomach ache from milk
        ?T weekend baking
        ?G bake every Saturday
        ?B crock of leaven behind the stove
        N Tide gauge repair | The float of the harbour gauge sticks below two metres; clean the stilling well and grease the pulley.
        C Spring tides in March | When is the highest water this month? | Two days after new moon, on the twentieth, about four metres at the quay.
        M The person lives on an island and takes the ferry at seven.
        T Harbour measurements | Readings of water levels, gauges and barometers.
        G Read the gauge on three hundred days | A reading a day, also in winter.
        B At low water the wreck showed her ribs, and the children counted them from the breakwater.
        ?N float sticks in the stilling well
        ?C highest water this month
        ?M which ferry do I take
        ?T harbour measurements
        ?G read the gauge
        ?B the wreck showed her ribs at low water
        N Waking at three | Woke at three again after coffee at five in the afternoon; no screens after nine helped on two nights.
        C Melatonin | Is melatonin safe with my blood pressure pills? | Ask the pharmacist; it can change how some of the pills work.
        M The person sleeps badly before journeys.
        T Sleep diary | Nights, naps, and what came before them.
        G In bed by half past ten | On five nights of each week.
        B The watchman slept standing, as horses do, and woke when the wind turned.
        ?N coffee in the afternoon and waking at three
        ?C melatonin with blood pressure pills
        ?M sleeps badly before journeys
        ?T sleep diary
        ?G in bed by half past ten
        ?B watchman slept standing as horses do
        N Boiler pressure | The boiler lost pressure from 1.6 to 0.9 bar within a week; the valve under the sink drips.
        C Heat pump or gas | What would a heat pump cost for a house of 1962? | About twenty-four thousand before the subsidy, with three larger radiators.
        M The house was built in 1962 and has no cellar.
        T House repairs | Boiler, roof, windows and who mended them.
        G Halve the gas that we burn | Compared with the winter of the move.
        B They burned the fence first, then the chairs, and kept the piano for the coldest night.
        ?N boiler lost pressure valve drips
        ?C cost of a heat pump
        ?M year the house was built
        ?T house repairs
        ?G halve the gas
        ?B burned the fence then the chairs
        N Tomato blight | Brown blotches on the lower leaves after the wet week; cut them off and put a roof above the plants.
        C Slugs in the lettuce | What keeps slugs from young lettuce without poison? | A ring of coarse sawdust, watering in the morning, and a board to collect them under.
        M The person is allergic to wasp stings.
        T Allotment year | Sowing, harvest and the neighbours' advice.
        G Grow half of our vegetables | Measured in kilograms from May to October.
        B The monk had planted beans along the cloister wall, and counted them at vespers.
        ?N brown blotches on the leaves of tomatoes
        ?C slugs without poison
        ?M allergic to wasps
        ?T allotment year
        ?G grow half of our vegetables
        ?B beans along the cloister wall
        N Cello bow hold | The teacher says to let the thumb bend and to keep the little finger round; play open strings for ten minutes.
        C Rosin | How often should I rosin the bow? | Two strokes before each practice are enough; more makes dust on the strings.
        M The person plays the cello since the age of forty.
        T Music lessons | What the cello teacher said, week by week.
        G Practise the cello two hundred hours | In a year, with scales counted twice.
        B Nobody had touched the organ since the flood, and the lowest pipe still held water.
        ?N thumb bend and little finger
        ?C how often rosin the bow
        ?M age at which the cello began
        ?T music lessons
        ?G practise two hundred hours
        ?B lowest pipe of the organ held water
        N Insurance claim for the bicycle | Claim 4471 was sent on the second of May with the photo of the broken fork; the insurer wants the receipt.
        C Letter to the insurer | Write a polite reminder about my claim. | Dear sir or madam, four weeks ago I sent you the papers for claim 4471 and have had no answer.
        M The bicycle is a blue touring frame from 2009.
        T Paperwork | Forms, claims, contracts and their dates.
        G Ride to work on a hundred days | By bicycle, in any weather.
        B The clerk weighed the letter twice, and both times it was heavier than its answer.
        ?N receipt for the broken fork
        ?C polite reminder to the insurer
        ?M which bicycle frame is it
        ?T paperwork
        ?G ride to work
        ?B clerk weighed the letter twice
        N Father's garden chair | Father wants the larch chair mended before his birthday; the left arm needs a dowel of eight millimetres.
        C Present for my father | What could I give a man of eighty who has everything? | A recording of the family's voices, an hour of your time each month, or his chair mended.
        M The person's father turns eighty in August.
        T Family | Birthdays, visits and what was promised.
        G Call father every Sunday | And write down one story of his.
        B The old carpenter left his plane to the dog, since the dog had always watched.
        ?N left arm needs a dowel
        ?C present for a man of eighty
        ?M when does father turn eighty
        ?T birthdays and visits of the family
        ?G call father every Sunday
        ?B carpenter left his plane to the dog
        N Photos on the old laptop | Copied twelve thousand photos to the drive called Heron; the folder of 2014 had four damaged files.
        C Backup strategy | How many copies of my photos do I need? | Three copies on two kinds of media, one of them in another house.
        M The person's external drive is called Heron.
        T Computers at home | Backups, passwords, routers, and printers that do not print.
        G Sort the photos of ten years | A month of photos each evening.
        B The lighthouse book had a column for ships and a column for birds, and the birds had filled both.
        ?N damaged files in the folder of 2014
        ?C how many copies of photos
        ?M name of the external drive
        ?T backups and routers at home
        ?G sort the photos
        ?B a column for ships and a column for birds
        N Knee after the run | Sharp pain below the kneecap after eleven kilometres on asphalt; better after three days of rest and ice.
        C Running shoes | Do worn shoes hurt the knees? | They can; most pairs lose their cushion after seven hundred kilometres.
        M The person had an operation of the left meniscus in 2019.
        T Running | Distances, routes and aches.
        G Run a half marathon in October | With at most four runs a week.
        B The messenger ran with a stone in each hand, so that he would not be tempted to wave.
        ?N pain below the kneecap
        ?C do worn shoes hurt
        ?M operation of the meniscus
        ?T routes and distances of running
        ?G half marathon
        ?B messenger ran with a stone in each hand
        N Quarterly meeting | The board wants the forecast for the ferry line by the ninth; Ilse does the costs, I do the passengers.
        C Forecast in a spreadsheet | How do I take a holiday peak out of a trend? | Compare each week with the same week of earlier years and take the median of the differences.
        M The person works in the planning office of a ferry line.
        T Ferry forecast | Passengers, costs and the wishes of the board.
        G Leave the office by five | On four days of each week.
        B The ledger of the ferryman had no numbers, only knots in a cord.
        ?N who does the costs for the board
        ?C take a holiday peak out of a trend
        ?M where does the person work
        ?T ferry forecast
        ?G leave the office by five
        ?B ledger with knots in a cord
        N Recipe for fish soup | Fennel, saffron, two kinds of white fish, a spoon of aniseed spirit; add the mussels last.
        C Substitute for saffron | What can I use when there is no saffron? | Turmeric for the colour and a little orange peel for the scent.
        M The person eats fish but no meat.
        T Kitchen | Recipes and what guests liked.
        G Cook a new dish each month | From a country where we have not been.
        B She salted the herring by candle, and the cat kept the account.
        ?N fennel and mussels in soup
        ?C instead of saffron
        ?M eats fish but no meat
        ?T kitchen recipes
        ?G cook a new dish
        ?B salted the herring by candle
        N Spanish verbs | The preterite of traer is traje; learn it together with decir and conducir.
        C Ser and estar | When do I use estar? | For places and for states that change, as estoy cansado.
        M The person learns Spanish for a visit to Seville.
        T Spanish | Words, verbs and small conversations.
        G Learn a thousand Spanish words | Ten a day, repeated after a week.
        B The parrot spoke two languages and was rude in a third.
        ?N preterite of traer
        ?C when to use estar
        ?M why learn a language for Seville
        ?T Spanish conversations
        ?G a thousand Spanish words
        ?B parrot rude in a third language
        N Sailing trip to the skerries | Anchor in the bay of Lunna in eight metres of mud; the dinghy leaks at the transom.
        C Anchoring in mud | Which anchor holds in soft mud? | One with large flukes; give it a scope of seven to one and dig it in slowly.
        M The boat is called Petrel and is nine metres long.
        T Petrel | The boat's repairs, trips and the log.
        G Sail round the island without an engine | Within one summer.
        B The anchor came up with a church bell on its fluke, and nobody spoke until it was back.
        ?N dinghy leaks at the transom
        ?C anchor that holds in soft mud
        ?M how long is the boat
        ?T Petrel
        ?G sail round the island
        ?B church bell on the fluke
        N Tax papers | The tax office wants the letting income of 2025 by the end of July; the receipts are in the green folder.
        C Deducting a study at home | May I deduct a room where I work two days a week? | Only by the day, up to a fixed sum, unless the room is the centre of the work.
        M The person lets a flat to two students.
        T Money | Taxes, rent, savings.
        G Save four months of wages | On an account that is not touched.
        B The tax of the valley was paid in cheese, and the collector grew round.
        ?N receipts in the green folder
        ?C deduct a room where I work
        ?M lets a flat to students
        ?T taxes rent savings
        ?G save four months of wages
        ?B tax was paid in cheese
        N Birds at the feeder | Two bramblings and a siskin came with the frost; sunflower hearts are gone first.
        C Bird with a red cap | Which small bird has a red cap in winter? | Perhaps a redpoll, if it hangs upside down on birch seeds.
        M The person keeps a list of birds since childhood.
        T Birds | What came to the feeder and to the marsh.
        G See a hundred and fifty kinds of birds | In one calendar year, without a car.
        B The cranes were late, and the sexton rang the bell to call them.
        ?N bramblings and siskin with the frost
        ?C small bird with a red cap
        ?M list of birds since childhood
        ?T birds at the marsh
        ?G a hundred and fifty kinds
        ?B sexton rang the bell for the cranes
        N Translation of the letters | Grandmother's letter of 1946 speaks of a coat that was turned twice; the word Wendemantel has no English.
        C Old German handwriting | How can I learn to read Kurrent? | Write the alphabet yourself for a week, then read church registers with a key beside them.
        M The person's grandmother came from Königsberg.
        T Family letters | Letters from 1938 to 1951, copied and translated.
        G Translate forty letters | With dates, places and the names of people.
        B The ink had been made from oak galls, and the vows with it.
        ?N coat that was turned twice
        ?C learn to read Kurrent
        ?M where grandmother came from
        ?T family letters
        ?G translate forty letters
        ?B ink made from oak galls
        N Solar panels on the shed | Six panels gave 9.4 kilowatt hours on the longest day; the ash tree shades two of them from four o'clock.
        C Battery for solar power | Is a battery worth its price? | For most roofs only if power in the evening costs twice what is paid for feeding in.
        M The shed stands north of an ash tree.
        T Power at home | Panels, meters and what they counted.
        G Use less than six kilowatt hours a day | On the average of a month.
        B The windmill had been sold by the board, and each board remembered the wind.
        ?N ash tree shades two panels
        ?C is a battery worth its price
        ?M what stands north of the ash tree
        ?T panels and meters
        ?G less than six kilowatt hours
        ?B windmill sold by the board
        N Reading group in May | We read the chapter on exile; Tomas wants shorter books, Nora wants plays.
        C Questions for the reading group | Give me three questions about exile in novels. | Who decides that a place is home, what is taken along, and who is left to tell it?
        M The person leads a reading group of seven people.
        T Reading group | What was read, what was said, who brings the cake.
        G Read twenty books this year | Four of them in Spanish.
        B The exile kept his house key on a nail in every house he rented.
        ?N Tomas wants shorter books
        ?C three questions about exile
        ?M how many people in the reading group
        ?T who brings the cake
        ?G read twenty books
        ?B house key on a nail
        N Dentist | The upper left molar got a crown of ceramic; come again in six months and floss behind it.
        C Pain after a crown | Is it normal that a tooth hurts on biting after a crown? | For some days yes; if it goes on, the bite has to be adjusted.
        M The person is afraid of the dentist's drill.
        T Health | Appointments, results and medicines.
        G See each doctor once a year | Teeth, eyes, skin and heart.
        B The tooth puller travelled with a drummer, and the drum was the medicine.
        ?N molar got a crown of ceramic
        ?C tooth hurts on biting
        ?M afraid of the drill
        ?T appointments results medicines
        ?G see each doctor
        ?B tooth puller travelled with a drummer
        N Moving the piano | The stairs turn at 82 centimetres and the piano is 148 wide; Krause lifts it through the window for 640.
        C Tuning after a move | When should a piano be tuned after a move? | After three or four weeks, when the wood is used to the new air.
        M The piano belonged to an aunt.
        T The move | Boxes, contracts, keys, the piano.
        G Own a third less | Give away or sell it before the move.
        B The piano fell two floors and landed on a single, perfect chord.
        ?N lifts it through the window
        ?C piano tuned after a move
        ?M whom did the piano belong to
        ?T boxes contracts keys
        ?G own a third less
        ?B landed on a single perfect chord
        N Night sky in August | Forty-one meteors in an hour from the dyke; the radiant stood above the ferry landing.
        C Telescope for beginners | Which telescope should a beginner buy? | A small reflector on a plain mount, or binoculars and a good map first.
        M The person owns binoculars of ten by fifty.
        T Sky | Meteors, planets, and clear nights.
        G Look at the sky on fifty nights | And draw what was seen.
        B The astronomer had gone blind and still corrected the clock by the warmth of noon.
        ?N meteors from the dyke
        ?C telescope for a beginner
        ?M size of the binoculars
        ?T meteors planets clear nights
        ?G sky on fifty nights
        ?B corrected the clock by the warmth of noon
        N Choir concert | The tenor entry in bar 47 is too early; breathe after "Licht" and watch the new conductor.
        C Breathing in long phrases | How do I sing a phrase of fourteen beats? | Take the breath low and early, and spend little of it on the first notes.
        M The person sings tenor in a village choir.
        T Choir | Rehearsals, concerts, voices.
        G Sing a solo in public | Before the end of next year.
        B The choir of the drowned sang on Fridays, always a half tone flat.
        ?N tenor entry in bar 47
        ?C sing a phrase of fourteen beats
        ?M which voice does the person sing
        ?T rehearsals concerts voices
        ?G sing a solo
        ?B choir of the drowned sang on Fridays
        N Bees in the roof | Bees fly in below the third tile; the keeper says to wait for the frost and then to close it with mesh.
        C Hornets and bees | Are hornets a danger to a hive of bees? | European ones take few; the Asian ones can empty a weak hive in a week.
        M The neighbour Hauke keeps bees.
        T Neighbours | Who helps whom, and with what.
        G Plant something that flowers each month | For the bees, from February to November.
        B The queen was carried to church in a thimble, and the swarm waited outside.
        ?N bees below the third tile
        ?C hornets a danger to a hive
        ?M which neighbour keeps bees
        ?T neighbours who helps whom
        ?G flowers each month
        ?B queen carried to church in a thimble
        N Speech for the wedding | Begin with the story of the lost oars; three minutes, no jokes about the ferry.
        C Nervous before a speech | What helps against a trembling voice? | Know the first two sentences by heart, stand on both feet, and speak to one friendly face.
        M The person's sister marries in June.
        T Wedding of my sister | Guests, music, speech, the boat.
        G Give three speeches | To lose the fear of them.
        B The best man had rehearsed in the stable, and the mare wept at the right places.
        ?N story of the lost oars
        ?C against a trembling voice
        ?M when does the sister marry
        ?T guests music speech boat
        ?G give three speeches
        ?B the mare wept at the right places
        N Draught under the door | A strip of felt, 90 by 2 centimetres, stops the draught; the plastic brush scratched the oak.
        C Mould in the bedroom | How do I get rid of mould behind the wardrobe? | Move the wardrobe ten centimetres away from the outer wall, air twice a day, and wash the place with spirit.
        M The person's bedroom faces north.
        T Winter | Wood, wool, candles, and cold rooms.
        G Keep the bedroom at sixteen degrees | All winter, without damp.
        B Winter had borrowed the village for a week and would not give it back.
        ?N strip of felt stops the draught
        ?C mould behind the wardrobe
        ?M bedroom faces which side
        ?T wood wool candles
        ?G bedroom at sixteen degrees
        ?B winter had borrowed the village
        """
}
