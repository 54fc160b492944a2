/// Tags that ntfy's apps show as emoji: the ones that scripts use most, by their short codes.
enum NtfyEmoji {
    /// The emoji of tags, as they stand before a title; nil for tags without any.
    static func prefix(of tags: [String]) -> String? {
        let emoji = tags.compactMap { table[$0] }.joined(separator: " ")
        return emoji.isEmpty ? nil : emoji
    }

    static let table: [String: String] = [
        "+1": "👍", "-1": "👎", "alarm_clock": "⏰", "battery": "🔋", "bell": "🔔", "birthday": "🎂", "blue_circle": "🔵",
        "bomb": "💣", "books": "📚", "boom": "💥", "brain": "🧠", "bug": "🐛", "bulb": "💡", "calendar": "📆", "camera": "📷",
        "cd": "💿", "chart_with_upwards_trend": "📈", "clock1": "🕐", "cloud": "☁️", "computer": "💻",
        "construction": "🚧", "cry": "😢", "door": "🚪", "droplet": "💧", "exclamation": "❗", "eyes": "👀",
        "facepalm": "🤦", "fire": "🔥", "floppy_disk": "💾", "gear": "⚙️", "green_circle": "🟢", "hammer": "🔨",
        "heart": "❤️", "heavy_check_mark": "✔️", "hourglass": "⌛", "house": "🏠", "information_source": "ℹ️", "key": "🔑",
        "lock": "🔒", "loudspeaker": "📢", "mailbox": "📫", "memo": "📝", "money_with_wings": "💸", "moneybag": "💰",
        "new": "🆕", "no_entry": "⛔", "no_entry_sign": "🚫", "ok": "🆗", "orange_circle": "🟠", "package": "📦",
        "partying_face": "🥳", "pill": "💊", "electric_plug": "🔌", "question": "❓", "cloud_with_rain": "🌧️",
        "recycle": "♻️", "red_circle": "🔴", "robot": "🤖", "rocket": "🚀", "rotating_light": "🚨", "satellite": "📡",
        "shield": "🛡️", "shopping_cart": "🛒", "skull": "💀", "smile": "😄", "snowflake": "❄️", "sos": "🆘",
        "stop_sign": "🛑", "sunny": "☀️", "tada": "🎉", "thermometer": "🌡️", "thinking": "🤔", "thumbsup": "👍",
        "thumbsdown": "👎", "timer_clock": "⏲️", "hammer_and_wrench": "🛠️", "triangular_flag_on_post": "🚩", "truck": "🚚",
        "unlock": "🔓", "warning": "⚠️", "wastebasket": "🗑️", "wave": "👋", "white_check_mark": "✅", "wrench": "🔧",
        "x": "❌",
        "yellow_circle": "🟡", "zap": "⚡",
    ]
}
